#include "trace/line_match.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace spoor::trace {
namespace {

constexpr std::size_t kMostCells = 1'000'000;

using LineIds = std::span<const LineId>;
using LinePair = std::pair<std::size_t, std::size_t>;  // An earlier and a later line.

void keep(LineMatches& matches, std::size_t before, std::size_t after) {
  matches.from[after] = before;
  matches.is_kept[before] = true;
}

// Lengths of the longest common subsequences of two stretches: of all beginnings and of all ends.
class Subsequences {
 public:
  Subsequences(LineIds before, LineIds after)
      : before_(before),
        after_(after),
        width_(after.size() + 1),
        heads_((before.size() + 1) * width_),
        tails_(heads_.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t j = 0; j < after.size(); ++j) {
        heads_[(i + 1) * width_ + j + 1] =
            before[i] == after[j] ? head(i, j) + 1 : std::max(head(i, j + 1), head(i + 1, j));
      }
    }
    for (std::size_t i = before.size(); i-- > 0;) {
      for (std::size_t j = after.size(); j-- > 0;) {
        tails_[i * width_ + j] = before[i] == after[j] ? tail(i + 1, j + 1) + 1
                                                       : std::max(tail(i, j + 1), tail(i + 1, j));
      }
    }
  }

  // Returns the earlier line that every longest common subsequence matches with `after[j]`.
  std::size_t partner(std::size_t j) const {
    const std::uint32_t longest = tail(0, 0);
    std::size_t found = LineMatches::kNone;
    for (std::size_t i = 0; i <= before_.size(); ++i) {
      if (head(i, j) + tail(i, j + 1) == longest)
        return LineMatches::kNone;  // One leaves the line out.
      if (i == before_.size() || before_[i] != after_[j]) continue;
      if (head(i, j) + 1 + tail(i + 1, j + 1) != longest) continue;
      if (found != LineMatches::kNone) return LineMatches::kNone;
      found = i;
    }
    return found;
  }

 private:
  std::uint32_t head(std::size_t i, std::size_t j) const { return heads_[i * width_ + j]; }
  std::uint32_t tail(std::size_t i, std::size_t j) const { return tails_[i * width_ + j]; }

  LineIds before_, after_;
  std::size_t width_;
  std::vector<std::uint32_t> heads_, tails_;
};

// Matches `before[from.first, to.first)` with `after[from.second, to.second)`.
void match_between(LineIds before, LineIds after, LinePair from, LinePair to,
                   LineMatches& matches) {
  const LineIds old_lines = before.subspan(from.first, to.first - from.first);
  const LineIds new_lines = after.subspan(from.second, to.second - from.second);
  if (old_lines.empty() || new_lines.empty()) return;
  if (std::ranges::equal(old_lines, new_lines)) {
    for (std::size_t i = 0; i < old_lines.size(); ++i) {
      keep(matches, from.first + i, from.second + i);
    }
    return;
  }
  if (old_lines.size() + 1 > kMostCells / (new_lines.size() + 1)) return;
  const Subsequences common(old_lines, new_lines);
  for (std::size_t j = 0; j < new_lines.size(); ++j) {
    const std::size_t i = common.partner(j);
    if (i != LineMatches::kNone) keep(matches, from.first + i, from.second + j);
  }
}

// Returns the pairs of lines that occur once in both, in the order of the earlier version.
std::vector<LinePair> unique_pairs(LineIds before, LineIds after) {
  struct Places {
    std::size_t before = LineMatches::kNone, after = LineMatches::kNone;
    std::uint8_t times_before = 0, times_after = 0;
  };
  std::unordered_map<LineId, Places> places;
  places.reserve(before.size() + after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    Places& at = places[before[i]];
    at.before = i;
    if (at.times_before < 2) ++at.times_before;
  }
  for (std::size_t j = 0; j < after.size(); ++j) {
    Places& at = places[after[j]];
    at.after = j;
    if (at.times_after < 2) ++at.times_after;
  }
  std::vector<LinePair> pairs;
  for (const LineId line : before) {
    const Places& at = places[line];
    if (at.times_before == 1 && at.times_after == 1) pairs.emplace_back(at.before, at.after);
  }
  return pairs;
}

// Returns for each number the length of the longest rising sequence that ends with it.
std::vector<std::size_t> rising_lengths(const std::vector<std::int64_t>& numbers) {
  std::vector<std::size_t> lengths;
  std::vector<std::int64_t> ends;
  lengths.reserve(numbers.size());
  for (const std::int64_t number : numbers) {
    const auto at = std::ranges::lower_bound(ends, number);
    lengths.push_back(static_cast<std::size_t>(at - ends.begin()) + 1);
    if (at == ends.end()) {
      ends.push_back(number);
    } else {
      *at = number;
    }
  }
  return lengths;
}

// Returns the pairs that are part of every longest sequence of pairs in order.
std::vector<LinePair> in_order(const std::vector<LinePair>& pairs) {
  std::vector<std::int64_t> ahead, back;
  for (const LinePair& pair : pairs) ahead.push_back(static_cast<std::int64_t>(pair.second));
  for (auto each = ahead.rbegin(); each != ahead.rend(); ++each) back.push_back(-*each);
  const std::vector<std::size_t> before = rising_lengths(ahead);
  std::vector<std::size_t> behind = rising_lengths(back);
  std::ranges::reverse(behind);
  const std::size_t longest = before.empty() ? 0 : *std::ranges::max_element(before);
  std::vector<std::size_t> rivals(longest + 1);
  const auto is_in_some = [&](std::size_t i) { return before[i] + behind[i] == longest + 1; };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_in_some(i)) ++rivals[before[i]];
  }
  std::vector<LinePair> kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_in_some(i) && rivals[before[i]] == 1) kept.push_back(pairs[i]);
  }
  return kept;
}

bool has_equal_neighbour(LineIds before, LineIds after, const LinePair& pair) {
  const auto [i, j] = pair;
  const bool is_first = i == 0 || j == 0;
  const bool is_last = i + 1 == before.size() || j + 1 == after.size();
  return (!is_first && before[i - 1] == after[j - 1]) ||
         (!is_last && before[i + 1] == after[j + 1]);
}

// Drops runs of matches, next to each other in both versions, that together have too little text.
void drop_light_runs(LineIds after, std::span<const std::uint32_t> weights, LineMatches& matches) {
  for (std::size_t first = 0; first < after.size();) {
    if (matches.from[first] == LineMatches::kNone) {
      ++first;
      continue;
    }
    std::size_t last = first;
    std::uint32_t weight = 0;
    do {
      weight += weights[after[last++]];
    } while (last < after.size() && matches.from[last] == matches.from[last - 1] + 1);
    for (std::size_t j = first; weight < kLeastWeight && j < last; ++j) {
      matches.is_kept[matches.from[j]] = false;
      matches.from[j] = LineMatches::kNone;
    }
    first = last;
  }
}

LineMatches no_matches(LineIds before, LineIds after) {
  return {std::vector<std::size_t>(after.size(), LineMatches::kNone),
          std::vector<bool>(before.size())};
}

}  // namespace

std::uint32_t weight_of(std::string_view text) {
  const auto counts = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') ||
           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return static_cast<std::uint32_t>(std::ranges::count_if(text, counts));
}

LineMatches match_lines(LineIds before, LineIds after, std::span<const std::uint32_t> weights) {
  LineMatches matches = no_matches(before, after);
  LinePair from(0, 0);
  for (const LinePair& anchor : in_order(unique_pairs(before, after))) {
    const bool stands_alone = weights[after[anchor.second]] >= kLeastWeight;
    if (!stands_alone && !has_equal_neighbour(before, after, anchor)) continue;
    match_between(before, after, from, anchor, matches);
    keep(matches, anchor.first, anchor.second);
    from = {anchor.first + 1, anchor.second + 1};
  }
  match_between(before, after, from, {before.size(), after.size()}, matches);
  drop_light_runs(after, weights, matches);
  return matches;
}

LineMatches match_stretch(LineIds before, LineIds after) {
  LineMatches matches = no_matches(before, after);
  match_between(before, after, {0, 0}, {before.size(), after.size()}, matches);
  return matches;
}

}  // namespace spoor::trace
