#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/unified_diff.h"
#include "trace/step.h"

namespace spoor::trace {

/// A change of one file that a call made.
struct Edit {
  std::string path;                            ///< empty: the call names none
  std::optional<std::int64_t> added, removed;  ///< lines; nullopt: unknown
  std::optional<store::Content> record;        ///< the attachment that records it: a diff, or JSON
};

/// Returns the changes that a call made: none if it failed, was refused or is unanswered. Line
/// counts are those that spoor's own tools counted, else those that the source keeps with the
/// result (edit_in_result), else those of the arguments (edits_in_arguments).
Result<std::vector<Edit>> edits_of(const store::Reader& reader, const Call& call);

/// Returns the patch that a command of the call applies; empty if there is none.
std::string patch_in_command(const Call& call);

/// Returns the change of the file `path` that a call made, as lines of a unified diff: the diff
/// that the source or spoor's own tool recorded with the result, else the one that the arguments
/// ask for. Empty if neither shows it.
Result<std::vector<graph::UnifiedLine>> diff_of(const store::Reader& reader, const Call& call,
                                                const std::string& path);

}  // namespace spoor::trace
