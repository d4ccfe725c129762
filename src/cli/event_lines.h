#pragma once

#include "cli/session.h"
#include "trace/event.h"

namespace spoor::cli {

/// One line for people: when, which commit, what was done, and what came of it.
void print_event(Session& session, const Workspace& workspace, const trace::DecisionEvent& event);

/// The event as one line of canonical JSON; on a terminal what it might obey is escaped.
void print_event_json(Output& out, const trace::DecisionEvent& event);

}  // namespace spoor::cli
