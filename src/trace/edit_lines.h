#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "graph/unified_diff.h"

namespace spoor::trace {

/// How many lines of one file change. A count is nullopt if it is unknown: a file that is
/// overwritten or deleted loses lines that are not in the call.
struct FileEdit {
  std::string path;  ///< as given; empty: not stated
  std::optional<std::int64_t> added;
  std::optional<std::int64_t> removed;

  bool operator==(const FileEdit&) const = default;
};

/// Returns the edits that the arguments of an editing tool describe: a patch, old and new text, one
/// of these or several in a list, or the text of a whole file. Old and new text are compared line
/// by line. Empty if the arguments describe no edit.
std::vector<FileEdit> edits_in_arguments(const json::Value& arguments);

/// Returns the edits of a patch, one for each file in it: Codex' (`*** Update File: x`) or a
/// unified diff. Empty if `text` has none.
std::vector<FileEdit> edits_in_patch(std::string_view text);

/// Returns the edit that the source of an imported result attached to it: in Claude Code the
/// `structuredPatch` or the new file of its `toolUseResult`, in Pi the `patch` or `diff` of its
/// `details`. `attached` is JSON (docs/importing.md). Nullopt if it has neither.
std::optional<FileEdit> edit_in_result(std::string_view attached);

/// Returns the change of the file `path` that the arguments of an editing tool describe, as lines
/// of a unified diff. A file that is written as a whole is added as a whole. Empty if the arguments
/// describe no change.
std::vector<graph::UnifiedLine> diff_in_arguments(const json::Value& arguments,
                                                  std::string_view path);

/// Returns the change that the source attached to a result (see edit_in_result), as such lines.
std::vector<graph::UnifiedLine> diff_in_result(std::string_view attached);

/// Returns the lines of the file `path` in a patch (see edits_in_patch), without the lines that
/// name files. An empty `path` means all files.
std::vector<graph::UnifiedLine> diff_in_patch(std::string_view patch, std::string_view path);

/// Returns true if a patch of Codex' deletes the file `path`, which it may name from a folder
/// below.
bool is_deleted_in_patch(std::string_view patch, std::string_view path);

/// A piece of a file that is replaced by another: once, or wherever it occurs.
struct Replacement {
  std::string before, after;
  bool everywhere = false;
};

/// Returns the replacements that the arguments of an editing tool ask for, in their order. Empty if
/// they ask for another kind of edit.
std::vector<Replacement> replacements_in_arguments(const json::Value& arguments);

/// Returns the text that the arguments give a whole file. Nullopt if they give none.
std::optional<std::string> whole_text_in_arguments(const json::Value& arguments);

/// Returns the number of lines of a text. A last line needs no line end.
std::int64_t count_lines(std::string_view text);

}  // namespace spoor::trace
