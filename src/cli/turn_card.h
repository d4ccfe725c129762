#pragma once

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// Prints a turn in a few lines, for a user who has just moved to it: id, time, type and names,
/// then the beginning of its text and its tool calls.
Result<void> print_turn_card(Session& session, const Workspace& workspace, const Oid& commit);

}  // namespace spoor::cli
