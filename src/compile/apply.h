#pragma once

#include <optional>
#include <vector>

#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// Applies one commit to `state`, which is the state of its first parent, or empty for a root.
/// `theirs` is the state of a merge's second parent, else null. For callers that visit a whole
/// history, parents first, and need the state at every commit; all others use Folder::at().
/// Code::corrupt as there; `state` is then unusable.
Result<void> apply(const store::Reader& reader, const store::NamedCommit& commit,
                   const State* theirs, State& state);

/// Applies commits of one line, which are sorted newest first, from the oldest on. `reached` is set
/// to the last one applied. Reads their fields in batches.
Result<void> apply_all(const store::Reader& reader,
                       const std::vector<store::NamedCommit>& newest_first, State& state,
                       std::optional<store::Oid>& reached);

}  // namespace spoor::compile
