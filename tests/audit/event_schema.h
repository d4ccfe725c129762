#pragma once

#include <string_view>

#include "audit/event/event.h"

namespace spoor::audit::testing {

/// Fails the test unless the event is one of docs/schema/decision-event-0.2.json, its JSON is the
/// canonical one, and the hash of its bundle can be computed again from that JSON.
void check_event(const DecisionEvent& event);
void check_event(std::string_view json);

}  // namespace spoor::audit::testing
