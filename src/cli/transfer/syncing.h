#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include "cli/transfer/peer.h"

namespace spoor::cli {

/// How to fetch.
struct Fetching {
  std::unique_ptr<sync::Link> link = nullptr;  ///< to the remote; null: opens one
  bool accepts_rewind = false;                 ///< sync::fetch()
};

/// Fetches from a remote of this store, and prints what moved.
Result<sync::Fetched> fetch_from(Session& session, Workspace& workspace, const std::string& name,
                                 Fetching fetching = {});

}  // namespace spoor::cli
