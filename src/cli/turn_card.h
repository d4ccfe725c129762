#pragma once

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// A turn in a few lines, for whoever has just come to stand on it: id, time, type
/// and names, then how its text begins and which tools it calls.
Result<void> print_turn_card(Session& session, const Workspace& workspace, const Oid& commit);

}  // namespace spoor::cli
