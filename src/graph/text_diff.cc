#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/utf8.h"
#include "graph/diff.h"

namespace spoor::graph {

namespace {

using Words = std::vector<std::string_view>;

// With more edits than this, the middle becomes one replacement: the search takes time and memory
// in the square of this. Repetitive texts may also take their length times this; the second limit
// bounds that.
constexpr int kMaxEdits = 1200;
constexpr std::size_t kComparisonsPerWord = 16;
constexpr std::size_t kMoreComparisons = 4'000'000;

bool is_word(unsigned char c) {
  return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// Splits a text into words, runs of blanks, line ends and single marks.
Words split_words(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const auto kind_of = [](char c) {
      if (is_word(static_cast<unsigned char>(c))) return 1;
      return c == ' ' || c == '\t' ? 2 : 0;
    };
    std::size_t end = 1;
    const int kind = kind_of(text[0]);
    while (kind != 0 && end < text.size() && kind_of(text[end]) == kind) ++end;
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

Words split_lines(std::string_view text) {
  Words lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

class Pieces {
 public:
  void add(TextPiece::Kind kind, std::string_view text) {
    if (text.empty()) return;
    if (pieces_.empty() || pieces_.back().kind != kind) pieces_.push_back({kind, {}});
    pieces_.back().text += text;
  }

  std::vector<TextPiece> take() { return std::move(pieces_); }

 private:
  std::vector<TextPiece> pieces_;
};

void replace_all(const Words& a, std::size_t a_from, std::size_t a_to, const Words& b,
                 std::size_t b_from, std::size_t b_to, Pieces& out) {
  for (std::size_t i = a_from; i < a_to; ++i) out.add(TextPiece::Kind::removed, a[i]);
  for (std::size_t i = b_from; i < b_to; ++i) out.add(TextPiece::Kind::added, b[i]);
}

// E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986. `trace[d]` records, for each
// diagonal, how far d edits reach.
void diff_middle(const Words& a, std::size_t a_from, std::size_t a_to, const Words& b,
                 std::size_t b_from, std::size_t b_to, Pieces& out) {
  const int n = static_cast<int>(a_to - a_from);
  const int m = static_cast<int>(b_to - b_from);
  const int most = std::min(n + m, kMaxEdits);
  const auto at_a = [&](int x) { return a[a_from + static_cast<std::size_t>(x)]; };
  const auto at_b = [&](int y) { return b[b_from + static_cast<std::size_t>(y)]; };

  // Each word gets a number, so that a comparison costs the same for any length.
  std::unordered_map<std::string_view, int> numbers;
  const auto numbered = [&numbers](const Words& words, std::size_t from, std::size_t to) {
    std::vector<int> all;
    for (std::size_t i = from; i < to; ++i) {
      all.push_back(numbers.try_emplace(words[i], static_cast<int>(numbers.size())).first->second);
    }
    return all;
  };
  const std::vector<int> a_numbers = numbered(a, a_from, a_to);
  const std::vector<int> b_numbers = numbered(b, b_from, b_to);
  std::size_t effort =
      kComparisonsPerWord * (a_numbers.size() + b_numbers.size()) + kMoreComparisons;

  std::vector<std::vector<int>> trace;
  std::vector<int> reach(static_cast<std::size_t>(2 * most + 3), 0);
  const auto index = [most](int k) { return static_cast<std::size_t>(k + most + 1); };
  int edits = -1;
  for (int d = 0; d <= most && edits < 0 && effort > 0; ++d) {
    trace.emplace_back(reach.begin() + (most + 1 - d), reach.begin() + (most + 2 + d));
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && reach[index(k - 1)] < reach[index(k + 1)]);
      int x = down ? reach[index(k + 1)] : reach[index(k - 1)] + 1;
      int y = x - k;
      const int start = x;
      while (x < n && y < m &&
             a_numbers[static_cast<std::size_t>(x)] == b_numbers[static_cast<std::size_t>(y)]) {
        ++x, ++y;
      }
      effort -= std::min(effort, static_cast<std::size_t>(x - start) + 1);
      reach[index(k)] = x;
      if (x >= n && y >= m) {
        edits = d;
        break;
      }
    }
  }
  if (edits < 0) return replace_all(a, a_from, a_to, b, b_from, b_to, out);

  // Walk the trace backwards, then output in order. `trace[d]` has diagonals -d … d as they were
  // before step d.
  struct Step {
    TextPiece::Kind kind;
    std::string_view word;
  };
  std::vector<Step> steps;
  int x = n;
  int y = m;
  for (int d = edits; d > 0; --d) {
    const auto before = [&](int k) {
      return trace[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
    };
    const int k = x - y;
    const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
    const int from_k = down ? k + 1 : k - 1;
    const int from_x = before(from_k);
    for (const int edit_x = down ? from_x : from_x + 1;
         x > edit_x;) {  // The equal words after the edit.
      steps.push_back({TextPiece::Kind::same, at_a(--x)});
      --y;
    }
    if (down) {
      steps.push_back({TextPiece::Kind::added, at_b(--y)});
    } else {
      steps.push_back({TextPiece::Kind::removed, at_a(--x)});
    }
  }
  while (x > 0) steps.push_back({TextPiece::Kind::same, at_a(--x)});
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) out.add(step->kind, step->word);
}

std::vector<TextPiece> diff_units(const Words& a, const Words& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  Pieces out;
  for (std::size_t i = 0; i < head; ++i) out.add(TextPiece::Kind::same, a[i]);
  diff_middle(a, head, a.size() - tail, b, head, b.size() - tail, out);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) out.add(TextPiece::Kind::same, a[i]);
  return out.take();
}

}  // namespace

std::vector<TextPiece> diff_words(std::string_view before, std::string_view after) {
  return diff_units(split_words(before), split_words(after));
}

std::vector<TextPiece> diff_lines(std::string_view before, std::string_view after) {
  return diff_units(split_lines(before), split_lines(after));
}

}  // namespace spoor::graph
