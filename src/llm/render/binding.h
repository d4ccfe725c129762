#pragma once

#include <vector>

#include "graph/repository.h"
#include "llm/render/dialogue.h"

namespace spoor::llm::render {

/// Changes `replayed` treatments of `prompt` to `unbound` if the messages before their answer are
/// not those that were sent (after a branch, an edit, a summary, a skip or a cherry-pick).
/// Providers may bind a signed block to the exact prefix that it was generated from. A treatment is
/// unchanged if the answer's request is not recorded, as for an imported answer, or not available.
///
/// Compiles each such request: for wires whose replay ends with the tool loop.
Result<void> check_bindings(const graph::Repository& repository, const compile::Prompt& prompt,
                            const std::vector<Dialogue::Lead>& leads,
                            std::vector<Treatment>& treatments);

}  // namespace spoor::llm::render
