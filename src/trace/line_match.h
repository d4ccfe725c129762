#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// A line of a file as a number: equal lines have the same number.
using LineId = std::uint32_t;

/// The lines of a later version of a file that are certainly the same lines as in an earlier one.
struct LineMatches {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<std::size_t>
      from;                   ///< for each later line its index in the earlier version, or kNone
  std::vector<bool> is_kept;  ///< for each earlier line: it is in `from`
};

/// How many letters and digits a stretch of equal lines must have to be more than chance.
constexpr std::uint32_t kLeastWeight = 20;

/// Returns how many letters and digits a text has; each byte beyond ASCII counts as one.
std::uint32_t weight_of(std::string_view text);

/// Matches the lines of two versions of a file, of which nothing else is known. `weights` has for
/// each number how many letters and digits the line has.
///
/// Lines that occur once in both and keep their order are anchors. Between two anchors, lines match
/// if every longest common subsequence matches them: of two blank lines, one of which was added,
/// neither matches. A stretch of more than a million comparisons has no matches. Last, a run of
/// matches that is too light to be more than chance is dropped.
LineMatches match_lines(std::span<const LineId> before, std::span<const LineId> after,
                        std::span<const std::uint32_t> weights);

/// Does the same for two stretches that are known to correspond, without anchors.
LineMatches match_stretch(std::span<const LineId> before, std::span<const LineId> after);

}  // namespace spoor::trace
