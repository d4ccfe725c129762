#include "base/near_miss.h"

#include <algorithm>
#include <vector>

namespace spoor {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: a swap needs the row two back.
  std::vector<std::size_t> two_back;
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back = std::move(back);
    back = std::move(row);
    row.assign(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, back[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string near_miss(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return {};
  std::size_t best = std::max<std::size_t>(word.size() / 3, 1) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    // The most common mistake is a word cut short.
    const bool is_start = word.size() >= 2 && candidate.starts_with(word);
    const std::size_t distance = is_start ? 1 : edit_distance(word, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return std::string(nearest);
}

}  // namespace spoor
