#pragma once

#include "agent/planners/context.h"

namespace spoor::agent::planners {

/// The steps of all parts of a run, numbered consecutively.
struct StepCounter {
  std::int64_t steps = 0;
};

/// Thinks, acts and observes until the model finishes, `max_steps` turns are over, or the run must
/// end. After a malformed reply the model gets a nudge, which is a turn but no step; the option
/// `nudges_per_step` limits those in a row. An answer that reached its limit is continued.
Result<Ending> react_loop(Context& context, StepCounter& counter);

/// Makes a plan and carries it out; makes a new one if a step fails, at most `max_replans` times.
Result<Ending> plan_loop(Context& context);

/// Makes the moves of a planner of a program's own.
Result<Ending> own_loop(Context& context, Planner& planner, std::string_view goal);

/// Runs the react loop, lets a critic judge the answer, and tries again.
Result<Ending> reflexion_loop(Context& context, std::string_view goal);

}  // namespace spoor::agent::planners
