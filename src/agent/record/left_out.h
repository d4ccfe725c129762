#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/decision.h"
#include "compile/prompt.h"

namespace spoor::agent::record {

/// Returns what did not fit into a prompt because of the window or the budget, in order. Entries
/// that were skipped on purpose are not included.
std::vector<compile::Oid> out_of_window(const compile::Prompt& prompt);

/// Returns a decision `word` about the commits in `these` that are not in `those`, as ranges of
/// neighbours; nullopt if there are none. Names only the longest ranges, so its size grows with
/// their number and not with the number of commits.
std::optional<Decision> curation_of(std::string_view word, const std::vector<compile::Oid>& these,
                                    const std::vector<compile::Oid>& those);

}  // namespace spoor::agent::record
