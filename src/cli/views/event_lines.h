#pragma once

#include "cli/session.h"
#include "trace/event.h"

namespace spoor::cli {

/// Prints one line for people: time, commit, action and outcome.
void print_event(Session& session, const Workspace& workspace, const trace::DecisionEvent& event);

/// Prints the event as one line of canonical JSON, with control characters escaped on a terminal.
void print_event_json(Output& out, const trace::DecisionEvent& event);

}  // namespace spoor::cli
