#pragma once

#include <string_view>

#include "trace/event.h"

namespace spoor::report::testing {

using trace::DecisionEvent;

/// Fails the test unless the event is one of docs/schema/decision-event-0.2.json, its JSON is the
/// canonical one, and the hash of its bundle can be computed again from that JSON.
void check_event(const DecisionEvent& event);
void check_event(std::string_view json);

}  // namespace spoor::report::testing
