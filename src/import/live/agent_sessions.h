#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "import/live/watch.h"

namespace spoor::import {

/// Imports what an agent has written to its files, at first since a time, then since the last call.
/// Returns the branches of all its sessions so far.
using ImportSessions =
    std::function<Result<std::vector<std::string>>(const KnownAgent& agent, Timestamp since)>;

/// The session files of the agents that something else is known of: each is followed from when it
/// is first asked for.
class AgentSessions {
 public:
  /// `repository` must outlive it.
  AgentSessions(std::string home, ReadVariable variable, graph::Repository& repository)
      : home_(std::move(home)), variable_(std::move(variable)), repository_(repository) {}

  /// An ImportSessions.
  Result<std::vector<std::string>> import(const KnownAgent& agent, Timestamp since);

  /// Imports also what waits for more to be written.
  Result<void> finish();

 private:
  const std::string home_;
  const ReadVariable variable_;
  graph::Repository& repository_;
  std::map<const KnownAgent*, std::unique_ptr<SessionWatch>> watches_;
};

}  // namespace spoor::import
