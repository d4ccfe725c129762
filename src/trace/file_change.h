#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/unified_diff.h"
#include "store/reader.h"
#include "trace/edit_lines.h"
#include "trace/step.h"

namespace spoor::trace {

/// How a call changed one file, as far as its arguments and its result show it.
struct FileChange {
  std::optional<std::string> before;      ///< the whole file before, as the source recorded it
  std::optional<std::string> after;       ///< the whole file after
  std::vector<Replacement> replacements;  ///< in their order
  std::vector<graph::UnifiedLine> diff;   ///< see diff_of()
  bool is_patch = false;     ///< the model wrote `diff` itself: each sign is what it meant
  bool is_deletion = false;  ///< the file was removed
  bool was_altered = false;  ///< a person changed the edit before it was made
};

/// Returns the change of `path` that a call made; `path` is as edits_of() names it.
Result<FileChange> change_of(const store::Reader& reader, const Call& call,
                             const std::string& path);

}  // namespace spoor::trace
