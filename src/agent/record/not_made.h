#pragma once

#include <string_view>
#include <vector>

#include "compile/turn.h"
#include "graph/repository.h"

namespace spoor::agent::record {

/// Returns the results of calls that were not made: errors that say `why`, refused by `by`. Without
/// run, step, author and time.
std::vector<compile::Turn> calls_not_made(const std::vector<compile::ToolCall>& calls,
                                          std::string_view why, std::string_view by);

/// Returns such results for the calls that the run of the commit `tip` left open and never began:
/// it was stopped, or waited for approval. Empty if there is no run, or if it is not known which
/// calls began. Errors: those of reading.
Result<std::vector<compile::Turn>> calls_left_open(const graph::Repository& repository,
                                                   const compile::Oid& tip);

}  // namespace spoor::agent::record
