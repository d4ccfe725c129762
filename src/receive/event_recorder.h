#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/json/reader.h"
#include "graph/repository.h"
#include "import/live/agent_sessions.h"
#include "receive/events.h"
#include "receive/posts.h"

namespace spoor::receive {

/// Writes events of agents to a repository: each is a note on `refs/events/AGENT/SESSION`, once.
/// If the turn is on the lines of the session that was imported from the agent's own file, the note
/// is about that turn, and leaves out the texts that the turn has.
///
/// If the agent keeps such a file, it is imported first, and an event waits for its turn, a minute
/// at most. For one thread.
class EventRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  EventRecorder(graph::Repository& repository, Posts& posts, import::ImportSessions import = {})
      : repository_(repository), posts_(posts), import_(std::move(import)) {}

  /// Adds the events of a post.
  void add(const std::string& post, const json::Value& document, Clock::time_point now);

  /// Writes the events that are due; all if `is_final`. Errors as those of TraceRecorder::record().
  Result<void> record(Clock::time_point now, bool is_final);

  struct Sums {
    std::uint64_t events = 0;
    std::uint64_t joined = 0;  ///< those about a turn
  };
  const Sums& sums() const { return sums_; }

 private:
  struct Waiting {
    Event event;
    std::string post;
    Clock::time_point came;
  };
  using Place = std::pair<std::string, std::string>;  // Agent and session.
  // Turns of a session, by the ids that events name.
  using Turns = std::unordered_map<std::string, store::Oid>;

  Result<Turns> turns_of(const Place& place) const;
  Result<std::unordered_set<store::Oid>> contents_on(const std::string& ref) const;
  Result<void> write(const Place& place, std::vector<Waiting>& waiting, Clock::time_point now,
                     bool is_final);

  graph::Repository& repository_;
  Posts& posts_;
  const import::ImportSessions import_;
  std::map<Place, std::vector<Waiting>> waiting_;
  std::map<Place, Clock::time_point> next_;  // When a session may be written again.
  Sums sums_;
};

}  // namespace spoor::receive
