#pragma once

#include <optional>

#include "compile/fold.h"
#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::graph {

using compile::Folder;
using store::Commit;

/// Was the history under an answer changed after it was given? True when the prompt before it is
/// not the one that it answered, as its bundle names it: it was copied onto another history, or
/// what it saw was edited on the way. Prompts are compared under the version of the fold that its
/// bundle names. Nothing, for unknown, if the commit has no bundle or that version is not known.
///
/// Costs one read where the answer stands on the commit that was sent, else a fold of both.
Result<std::optional<bool>> is_counterfactual(const store::Reader& reader, const Folder& folder,
                                              const Commit& commit);

}  // namespace spoor::graph
