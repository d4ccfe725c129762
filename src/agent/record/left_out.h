#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/decision.h"
#include "compile/prompt.h"

namespace spoor::agent::record {

/// What did not fit into a prompt, in its order: window and budget, and nothing that was skipped on
/// purpose.
std::vector<compile::Oid> out_of_window(const compile::Prompt& prompt);

/// The decision `word` about what is in `these` and not in `those`, as ranges of neighbours;
/// nothing when there is none. Its size does not grow with either, but with the number of ranges,
/// of which the longest are named.
std::optional<Decision> curation_of(std::string_view word, const std::vector<compile::Oid>& these,
                                    const std::vector<compile::Oid>& those);

}  // namespace spoor::agent::record
