#include "import/live/agent_sessions.h"

namespace spoor::import {

Result<std::vector<std::string>> AgentSessions::import(const KnownAgent& agent, Timestamp since) {
  auto& watch = watches_[&agent];
  if (!watch) {
    watch = TRY(
        SessionWatch::start(SessionWatch::places(&agent, home_, variable_), since, repository_));
  }
  do {
    TRY(watch->update());
    // A file that cannot be read is tried again; finish() returns the error.
  } while (watch->has_unread());
  return std::vector<std::string>(watch->branches().begin(), watch->branches().end());
}

Result<void> AgentSessions::finish() {
  for (auto& [agent, watch] : watches_) {
    if (watch) TRY(watch->finish());
  }
  return {};
}

}  // namespace spoor::import
