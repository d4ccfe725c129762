#pragma once

#include "agent/planners/context.h"

namespace spoor::agent::planners {

/// Asks for the answer to the goal, in plain text, from what the run has observed, and ends with
/// it. An empty answer is asked for again, at most `nudges_per_step` times.
Result<Ending> write_answer(Context& context, std::int64_t step);

}  // namespace spoor::agent::planners
