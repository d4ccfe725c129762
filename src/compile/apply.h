#pragma once

#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// Applies one commit to `state`, which is that of its first parent, or empty at a root.
/// `theirs` is the state of a merge's second parent, null elsewhere. For whoever visits
/// a whole history, parents first, and needs the state at every commit; Folder::at() is
/// for all others. Code::corrupt as there; `state` is then good for nothing.
Result<void> apply(const store::Reader& reader, const store::NamedCommit& commit,
                   const State* theirs, State& state);

}  // namespace spoor::compile
