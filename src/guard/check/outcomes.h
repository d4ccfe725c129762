#pragma once

#include "trace/event.h"

namespace spoor::guard::check {

using trace::DecisionEvent;

/// How an action went, by its exit code where there is one, else by what the tool said.
enum class Outcome { good, bad, unknown };

Outcome outcome_of(const DecisionEvent& event);

}  // namespace spoor::guard::check
