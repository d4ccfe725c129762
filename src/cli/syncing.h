#pragma once

#include <memory>
#include <string>

#include "cli/peer.h"
#include "cli/session.h"

namespace spoor::cli {

/// Fetches from a remote of this store, and prints what moved. `link` leads to it; null: opens one.
Result<sync::Fetched> fetch_from(Session& session, Workspace& workspace, const std::string& name,
                                 std::unique_ptr<sync::Link> link = nullptr);

}  // namespace spoor::cli
