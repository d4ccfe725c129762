#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "proxy/spool.h"
#include "receive/event_recorder.h"
#include "receive/otlp.h"
#include "receive/posts.h"
#include "receive/prompt_recorder.h"
#include "receive/trace_recorder.h"

namespace spoor::receive {

/// Puts what is kept of a post into a spool.
Result<void> put(const proxy::Spool& spool, Signal signal, std::string document);

/// Records the posts of a spool. Each is removed when all of it is recorded; those that cannot be
/// recorded are refused. For one thread.
class SpoolRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  /// `most`: if the posts that are taken and not recorded have more bytes, they are recorded before
  /// others are taken, whether they are due or not.
  SpoolRecorder(const proxy::Spool& spool, graph::Repository& repository,
                import::ImportSessions import = {}, std::size_t most = 256U << 20U)
      : spool_(spool),
        most_(most),
        traces_(repository, posts_),
        prompts_(repository, posts_, import),
        events_(repository, posts_, std::move(import)) {}

  /// Takes all posts, and records what is due; all if `is_final`. Errors are those of the spool,
  /// and those of the repository that may pass: the rest stays in the spool.
  Result<void> record(Clock::time_point now, bool is_final);

  const TraceRecorder::Sums& traces() const { return traces_.sums(); }
  const EventRecorder::Sums& events() const { return events_.sums(); }
  std::uint64_t requests() const { return prompts_.written(); }
  std::uint64_t refused() const { return refused_; }

 private:
  Result<bool> take(Clock::time_point now);
  Result<void> refuse(const std::string& name, std::string_view reason);

  const proxy::Spool& spool_;
  const std::size_t most_;
  Posts posts_;
  TraceRecorder traces_;
  PromptRecorder prompts_;
  EventRecorder events_;
  std::map<std::string, std::size_t> held_;  // The bytes of the posts that are taken.
  std::size_t bytes_ = 0;                    // Their sum.
  std::uint64_t refused_ = 0;
};

}  // namespace spoor::receive
