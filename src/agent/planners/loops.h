#pragma once

#include "agent/planners/context.h"

namespace spoor::agent::planners {

/// Steps that were made, over all parts of a run: they are numbered through.
struct StepCounter {
  std::int64_t steps = 0;
};

/// Think, act, observe, until the model finishes, `max_steps` turns are over, or the run must end.
/// A malformed reply earns one nudge, counts as a turn, and makes no step; the second is an error.
Result<Ending> react_loop(Context& context, StepCounter& counter);

/// One plan, carried out; a new one, at most `max_replans` times, when a step fails.
Result<Ending> plan_loop(Context& context);

/// The react loop, judged by a critic and tried again.
Result<Ending> reflexion_loop(Context& context, std::string_view goal);

}  // namespace spoor::agent::planners
