#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json/reader.h"
#include "graph/repository.h"
#include "import/live/agent_sessions.h"
#include "proxy/recorder.h"
#include "receive/posts.h"

namespace spoor::receive {

/// Writes the requests that agents repeat in their telemetry (receive/repeated_request.h) to a
/// repository as copies: what was sent, in other bytes. Each is a note about its answer, which is a
/// turn of the agent's session file; that file is imported first, and a request waits for its
/// answer, a minute at most. For one thread.
class PromptRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  PromptRecorder(graph::Repository& repository, Posts& posts, import::ImportSessions import)
      : posts_(posts), recorder_(repository, std::move(import)) {}

  /// Adds the requests of a post.
  void add(const std::string& post, const json::Value& document, Clock::time_point now);

  /// Writes those that are due; all if `is_final`. Errors as those of TraceRecorder::record().
  Result<void> record(Clock::time_point now, bool is_final);

  /// The number of requests written so far.
  std::uint64_t written() const { return written_; }

 private:
  struct Waiting {
    proxy::Exchange exchange;
    std::string post;
    Clock::time_point came;
  };

  // Records one; false: it goes on waiting.
  Result<bool> record_one(const Waiting& waiting, Clock::time_point now, bool is_final);

  Posts& posts_;
  proxy::Recorder recorder_;
  std::vector<Waiting> waiting_;
  Clock::time_point next_;
  std::uint64_t written_ = 0;
};

}  // namespace spoor::receive
