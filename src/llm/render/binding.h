#pragma once

#include <vector>

#include "graph/repository.h"
#include "llm/render/dialogue.h"

namespace spoor::llm::render {

/// Providers may bind a signed block to the very prefix that it was made on. Looks at each
/// `replayed` treatment of `prompt`: where the messages before its answer are no longer those that
/// were sent (after a branch, an edit, a summary, a skip or a cherry-pick), it becomes `unbound`.
/// One whose request is not recorded, as of an imported answer, or not at hand, stays as it is.
///
/// Costs a compile of each such request: for wires whose replay ends with the tool loop.
Result<void> check_bindings(const graph::Repository& repository, const compile::Prompt& prompt,
                            const std::vector<Dialogue::Lead>& leads,
                            std::vector<Treatment>& treatments);

}  // namespace spoor::llm::render
