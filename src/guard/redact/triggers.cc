#include "guard/redact/triggers.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

#include "base/text.h"

namespace spoor::guard {
namespace {

constexpr std::uint8_t kDigit = 1;  // 0 is every byte that occurs in no keyword.
constexpr std::uint32_t kRoot = 0;
constexpr std::uint32_t kNone = 0xffffffff;

// Returns a keyword in lower case, with `\d` as the digit 0.
std::string folded(std::string_view keyword) {
  std::string out;
  for (std::size_t i = 0; i < keyword.size(); ++i) {
    if (keyword.substr(i, 2) == "\\d") {
      out += '0';
      ++i;
    } else {
      out += lower(keyword[i]);
    }
  }
  return out;
}

// The tree of all keywords; a row for each of their prefixes.
struct Tree {
  explicit Tree(std::size_t symbols) : width(symbols) { add_row(); }

  std::uint32_t add_row() {
    next.resize(next.size() + width, kNone);
    return rows++;
  }

  std::uint32_t& step(std::uint32_t row, std::size_t symbol) { return next[row * width + symbol]; }

  std::size_t width;
  std::uint32_t rows = 0;
  std::vector<std::uint32_t> next;
};

}  // namespace

Triggers::Triggers(const std::vector<Rule>& rules) {
  std::uint8_t used = kDigit + 1;
  for (unsigned char digit = '0'; digit <= '9'; ++digit) symbols_[digit] = kDigit;
  const auto symbol_of = [&](char c) -> std::uint8_t {
    auto& symbol = symbols_[static_cast<unsigned char>(c)];
    if (symbol == 0) symbol = used++;  // 256 bytes at most, less nine digits and the unused.
    return symbol;
  };
  std::vector<std::pair<std::string, std::size_t>> keywords;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].keywords.empty()) always_.push_back(i);
    for (const std::string& keyword : rules[i].keywords) {
      keywords.emplace_back(folded(keyword), i);
      longest_ = std::max(longest_, keywords.back().first.size());
      for (const char c : keywords.back().first) symbol_of(c);
    }
  }
  for (char c = 'A'; c <= 'Z'; ++c) {
    symbols_[static_cast<unsigned char>(c)] = symbols_[static_cast<unsigned char>(lower(c))];
  }
  width_ = used;

  Tree tree(width_);
  std::map<std::uint32_t, std::vector<Keyword>> endings;
  for (const auto& [keyword, rule] : keywords) {
    std::uint32_t row = kRoot;
    for (const char c : keyword) {
      const std::size_t symbol = symbols_[static_cast<unsigned char>(c)];
      if (tree.step(row, symbol) == kNone) {
        const std::uint32_t made = tree.add_row();
        tree.step(row, symbol) = made;
      }
      row = tree.step(row, symbol);
    }
    endings[row].push_back({rule, keyword.size()});
  }

  // Breadth first: a row without a step of its own uses that of its longest proper suffix.
  std::vector<std::uint32_t> suffix(tree.rows, kRoot);
  std::deque<std::uint32_t> queue;
  for (std::size_t symbol = 0; symbol < width_; ++symbol) {
    std::uint32_t& step = tree.step(kRoot, symbol);
    if (step == kNone) {
      step = kRoot;
    } else {
      queue.push_back(step);
    }
  }
  for (; !queue.empty(); queue.pop_front()) {
    const std::uint32_t row = queue.front();
    if (const auto found = endings.find(suffix[row]); found != endings.end()) {
      auto& own = endings[row];
      own.insert(own.end(), found->second.begin(), found->second.end());
    }
    for (std::size_t symbol = 0; symbol < width_; ++symbol) {
      std::uint32_t& step = tree.step(row, symbol);
      const std::uint32_t other = tree.step(suffix[row], symbol);
      if (step == kNone) {
        step = other;
      } else {
        suffix[step] = other;
        queue.push_back(step);
      }
    }
  }

  // Puts rows that end a keyword last, so that one comparison detects them.
  std::vector<std::uint32_t> place(tree.rows);
  std::uint32_t at = 0;
  for (std::uint32_t row = 0; row < tree.rows; ++row) {
    if (!endings.contains(row)) place[row] = at++;
  }
  first_hit_ = at * static_cast<std::uint32_t>(width_);
  for (const auto& [row, list] : endings) {
    place[row] = at++;
    endings_.push_back(list);
  }
  next_.resize(tree.next.size());
  for (std::uint32_t row = 0; row < tree.rows; ++row) {
    for (std::size_t symbol = 0; symbol < width_; ++symbol) {
      next_[place[row] * width_ + symbol] =
          place[tree.step(row, symbol)] * static_cast<std::uint32_t>(width_);
    }
  }
  const std::uint32_t after_line = next_[symbols_[static_cast<unsigned char>('\n')]];
  if (after_line < first_hit_) first_ = after_line;
}

void Triggers::add_hits(std::uint32_t row, std::size_t last, std::vector<Hit>& hits) const {
  for (const Keyword& keyword : endings_[(row - first_hit_) / width_]) {
    hits.push_back({keyword.rule, last + 1 - std::min(keyword.length, last + 1), last + 1});
  }
}

// Each step waits for the one before, so a text is searched in several places at once: in parts of
// equal length. A part begins early enough to see a keyword that begins in the part before.
template <std::size_t kChains>
void Triggers::find_in_chains(std::string_view text, std::vector<Hit>& hits) const {
  const std::size_t part = text.size() / kChains;
  const auto step = [&](std::uint32_t row, std::size_t at) {
    return next_[row + symbols_[static_cast<unsigned char>(text[at])]];
  };
  std::array<std::uint32_t, kChains> rows{};  // All but the first are at the root, which is 0.
  rows[0] = first_;
  for (std::size_t before = std::min(longest_ - 1, part); before > 0; --before) {
    for (std::size_t i = 1; i < kChains; ++i) rows[i] = step(rows[i], i * part - before);
  }
  for (std::size_t at = 0; at < part; ++at) {
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < kChains; ++i) {
      rows[i] = step(rows[i], i * part + at);
      highest = std::max(highest, rows[i]);
    }
    if (highest < first_hit_) continue;
    for (std::size_t i = 0; i < kChains; ++i) {
      if (rows[i] >= first_hit_) add_hits(rows[i], i * part + at, hits);
    }
  }
  for (std::size_t at = kChains * part; at < text.size(); ++at) {
    rows.back() = step(rows.back(), at);
    if (rows.back() >= first_hit_) add_hits(rows.back(), at, hits);
  }
}

void Triggers::find(std::string_view text, std::vector<Hit>& hits) const {
  // Measured: the more chains, the longer a text must be to gain from them.
  const std::size_t least = 3 * longest_;
  if (text.size() < least) return find_in_chains<1>(text, hits);
  if (text.size() < 4 * least) return find_in_chains<2>(text, hits);
  if (text.size() < 12 * least) return find_in_chains<4>(text, hits);
  find_in_chains<6>(text, hits);
}

}  // namespace spoor::guard
