#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/step.h"

namespace spoor::trace {

using store::Result;

/// A change of one file that a call made.
struct Edit {
  std::string path;                            ///< empty: the call names none
  std::optional<std::int64_t> added, removed;  ///< lines; absent: nobody can tell
  std::optional<store::Content> record;        ///< the attachment that says so: a diff, or JSON
};

/// Returns the changes that a call made: none if it failed, was refused or is unanswered. Lines are
/// those that our own tools counted, else those that the source keeps with the result
/// (edit_in_result), else those of the arguments (edits_in_arguments).
Result<std::vector<Edit>> edits_of(const store::Reader& reader, const Call& call);

}  // namespace spoor::trace
