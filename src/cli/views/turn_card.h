#pragma once

#include "cli/session.h"
#include "cli/views/name_labels.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {

/// Prints a line about a turn: id, time, type, model and names.
void print_turn_head(Session& session, const Workspace& workspace, const TurnView& view,
                     const Decorations& names);

/// Prints a turn in a few lines, for a user who has just moved to it: id, time, type and names,
/// then the beginning of its text and its tool calls.
Result<void> print_turn_card(Session& session, const Workspace& workspace, const Oid& commit);

}  // namespace spoor::cli
