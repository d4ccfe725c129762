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

/// A unified diff of two texts, as `diff -u` writes it, without the `---` and
/// `+++` lines: hunks with three lines of context. Empty when they are equal.
std::vector<UnifiedLine> unified_diff(std::string_view before, std::string_view after);

/// The lines as a text, under the `---` and `+++` lines that name the two files: what `patch -p1`
/// and `git apply` take. A path is relative and quoted as git does it where it has a control
/// character, a quote or a backslash; an empty one stands for no file (`/dev/null`). Empty when
/// there are no lines.
std::string unified_text(std::string_view path_before, std::string_view path_after,
                         const std::vector<UnifiedLine>& lines);

/// Which lines stand within `context` lines of one that is `changed`.
std::vector<bool> near_changes(const std::vector<bool>& changed, std::size_t context);

}  // namespace spoor::graph
