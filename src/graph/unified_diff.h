#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::graph {

/// A line of a unified diff.
struct UnifiedLine {
  char kind = ' ';  ///< ' ', '-', '+', '@' or '\\'
  std::string text;

  bool operator==(const UnifiedLine&) const = default;
};

/// Returns a unified diff of two texts as `diff -u` writes it, without the `---` and `+++` lines:
/// hunks with three lines of context. Empty if the texts are equal.
std::vector<UnifiedLine> unified_diff(std::string_view before, std::string_view after);

/// Returns the lines as text, after `---` and `+++` lines with the two file names, as input for
/// `patch -p1` and `git apply`. A path is relative; it is quoted as git does if it has a control
/// character, a quote or a backslash. An empty path means no file (`/dev/null`). Empty if there are
/// no lines.
std::string unified_text(std::string_view path_before, std::string_view path_after,
                         const std::vector<UnifiedLine>& lines);

/// Reports for each line whether it is within `context` lines of a `changed` one.
std::vector<bool> near_changes(const std::vector<bool>& changed, std::size_t context);

}  // namespace spoor::graph
