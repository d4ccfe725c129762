#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "graph/unified_diff.h"

namespace spoor::trace {

/// How many lines of one file change. Nothing where nobody can tell: a file that is overwritten or
/// deleted loses lines that stand nowhere in the call.
struct FileEdit {
  std::string path;  ///< as it was given; empty: not said
  std::optional<std::int64_t> added;
  std::optional<std::int64_t> removed;

  bool operator==(const FileEdit&) const = default;
};

/// Returns the edits that the arguments of an editing tool describe: a patch, old and new text, one
/// of these or several in a list, or the text of a whole file. Old and new text are compared line
/// by line. Empty if they hold nothing of the kind.
std::vector<FileEdit> edits_in_arguments(const json::Value& arguments);

/// Returns the edits of a patch, one for each file in it: Codex' (`*** Update File: x`) or a
/// unified diff. Empty if `text` has none.
std::vector<FileEdit> edits_in_patch(std::string_view text);

/// Returns what the source of an imported result attached to it: the `structuredPatch` or the new
/// file of Claude Code's `toolUseResult`, the `patch` or `diff` of Pi's `details`. `attached` is
/// JSON (docs/importing.md). Nothing if it holds neither.
std::optional<FileEdit> edit_in_result(std::string_view attached);

/// Returns the change of the file `path` that the arguments of an editing tool describe, as lines
/// of a unified diff; a file that is written whole is added whole. Empty if they describe none.
std::vector<graph::UnifiedLine> diff_in_arguments(const json::Value& arguments,
                                                  std::string_view path);

/// Returns the change that the source attached to a result (see edit_in_result), likewise.
std::vector<graph::UnifiedLine> diff_in_result(std::string_view attached);

/// Returns the lines of the file `path` in a patch (see edits_in_patch), without the lines that
/// name files. An empty `path` means all files.
std::vector<graph::UnifiedLine> diff_in_patch(std::string_view patch, std::string_view path);

/// Returns the number of lines of a text. A last line needs no line end.
std::int64_t count_lines(std::string_view text);

}  // namespace spoor::trace
