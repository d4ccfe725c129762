#pragma once

#include <optional>

#include "compile/fold.h"
#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::graph {

using compile::Folder;
using store::Commit;

/// Reports whether the history before an answer was changed after it was given. True if the prompt
/// before the answer differs from the one in its bundle: the answer was copied onto another
/// history, or an earlier turn was edited. Both prompts are compared under the fold version that
/// the bundle names. Returns nullopt (unknown) if the commit has no bundle or that version is not
/// known.
///
/// Costs one read if the answer directly follows the commit that was sent, else a fold of both.
Result<std::optional<bool>> is_counterfactual(const store::Reader& reader, const Folder& folder,
                                              const Commit& commit);

}  // namespace spoor::graph
