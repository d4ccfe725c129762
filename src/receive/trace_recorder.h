#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/json/reader.h"
#include "graph/repository.h"
#include "import/known_turns.h"
#include "receive/posts.h"

namespace spoor::receive {

/// Writes received traces to a repository, as the importer of OpenTelemetry reads them: the spans
/// of a trace, from all posts, are one source, so the same trace in a file gives the same commits.
/// The notes of a trace are on `refs/sources/otel/TRACE`. Spans that come later are read together
/// with those notes. A span that is there is not written again.
///
/// A trace is written when no span of it has come for a while; one that goes on for hours takes at
/// most a twentieth of the time. Traces that are due together are one transaction. For one thread.
class TraceRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TraceRecorder(graph::Repository& repository, Posts& posts)
      : repository_(repository), posts_(posts) {}

  /// Adds the spans of a post.
  void add(const std::string& post, const json::Value& document, Clock::time_point now);

  /// Writes the traces that are due, or all. Errors are those of the repository that may
  /// pass; the posts of other failures are refused.
  Result<void> record(Clock::time_point now, bool is_all);

  struct Sums {
    std::uint64_t traces = 0;
    std::uint64_t spans = 0;
    std::uint64_t turns = 0;
    std::string ref;  ///< the branch of the last one
  };
  const Sums& sums() const { return sums_; }

 private:
  // Spans in the order in which they came, each once, and what was around them.
  struct Spans {
    struct Span {
      std::string id;
      std::string record;
    };
    std::vector<Span> spans;
    std::vector<std::string> surroundings;
    std::unordered_set<std::string> seen;  // The ids of spans, and what was around them.

    bool add(std::string id, std::string_view record);
    bool add_surroundings(const std::string& around);
    std::string document() const;
  };
  struct Pending {
    Spans spans;
    std::string document;  // If it came in one post: that, byte for byte.
    std::vector<std::string> posts;
    Clock::time_point last;
    std::size_t bytes = 0;
    std::int64_t begun =
        std::numeric_limits<std::int64_t>::max();  // Nanoseconds, its first span's.
  };
  using Traces = std::map<std::string, Pending>;

  Result<std::optional<Spans>> stored(const std::string& trace) const;
  Result<void> write_or_refuse(std::span<const Traces::iterator> traces);
  Result<void> write(std::span<const Traces::iterator> traces);
  Result<void> add_to(graph::Draft& draft, const std::string& trace, const Pending& pending,
                      Sums& sums);
  Result<std::uint64_t> count_new(const graph::Draft& draft) const;

  graph::Repository& repository_;
  Posts& posts_;
  Traces pending_;
  std::map<std::string, Clock::time_point> next_;  // When a trace may be written again.
  import::KnownLines lines_;
  Sums sums_;
};

}  // namespace spoor::receive
