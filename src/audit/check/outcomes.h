#pragma once

#include "audit/event/event.h"

namespace spoor::audit::check {

/// How an action went, by its exit code where there is one, else by what the tool said.
enum class Outcome { good, bad, unknown };

Outcome outcome_of(const DecisionEvent& event);

}  // namespace spoor::audit::check
