#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compile/turn.h"
#include "graph/repository.h"

namespace spoor::agent::record {

/// Returns the results of calls that were not made: errors that say `why`, refused by `by`. Without
/// run, step, author and time.
std::vector<compile::Turn> calls_not_made(const std::vector<compile::ToolCall>& calls,
                                          std::string_view why, std::string_view by);

/// The open ends of a run that was stopped, or waits for approval, when the person goes on without
/// it.
struct LeftOpen {
  std::vector<compile::Turn> results;  ///< of the calls that never began, as calls_not_made()
  std::optional<compile::Oid> answer;  ///< the part of an answer that the person has seen
};

/// Returns what the run of the commit `tip` left open. Empty if there is no run, if it came to its
/// end, or if it is not known which calls began. Errors: those of reading.
Result<LeftOpen> left_open(const graph::Repository& repository, const compile::Oid& tip);

}  // namespace spoor::agent::record
