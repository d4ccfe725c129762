#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "agent/decision.h"
#include "compile/prompt.h"

namespace spoor::agent::record {

/// Turns that did not fit into a prompt, in order, without those that were skipped on purpose.
struct LeftOut {
  std::vector<compile::Oid> dropped;  ///< because of the window or the budget
  std::vector<compile::Oid> cleared;  ///< shown without their text
};
LeftOut out_of_window(const compile::Prompt& prompt);

/// Returns a decision `word` about the commits in `these` that are not in `those`, as ranges of
/// neighbours; nullopt if there are none. Names only the longest ranges, so its size grows with
/// their number and not with the number of commits.
std::optional<Decision> curation_of(std::string_view word, const std::vector<compile::Oid>& these,
                                    const std::vector<compile::Oid>& those);

}  // namespace spoor::agent::record
