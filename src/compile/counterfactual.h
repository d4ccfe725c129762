#pragma once

#include <optional>

#include "compile/fold.h"
#include "compile/turn.h"
#include "store/reader.h"

namespace spoor::compile {

/// Was the history under an answer changed after it was given? True when the prompt before it is
/// not the one that it answered, as its bundle names it: it was copied onto another history, or
/// what it saw was edited on the way. Nothing for a commit that no bundle is recorded for: unknown.
///
/// Costs one read where the answer stands on the commit that was sent, else a fold of both.
store::Result<std::optional<bool>> is_counterfactual(const store::Reader& reader,
                                                     const Folder& folder, const Commit& commit);

}  // namespace spoor::compile
