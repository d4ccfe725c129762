#pragma once

#include <string>

#include "cli/peer.h"
#include "cli/session.h"

namespace spoor::cli {

/// Fetches from a remote of this store, and prints what moved.
Result<sync::Fetched> fetch_from(Session& session, Workspace& workspace, const std::string& name);

/// Prints what a fetch moved.
void print_fetched(Session& session, const Workspace& workspace, const std::string& remote,
                   const sync::Fetched& fetched);

}  // namespace spoor::cli
