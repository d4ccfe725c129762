#pragma once

#include <cstddef>
#include <memory>

#include "agent/debrief/debrief.h"
#include "agent/runs.h"

namespace spoor::agent::debrief {

/// How much of a history is read.
struct GraphOptions {
  std::size_t most = 1'000;  ///< what each list keeps (kept.h)
  /// Only what the commits say themselves: no reasons, no texts but the goal. For listings.
  bool summary = false;
};

/// The debrief of a run, or of any other history of calls, out of the commit graph, in the shape of
/// docs/agents.md ("What a run leaves in the graph"). What was read stays: a later head on the same
/// line costs the new commits alone. Memory is bounded, however long the history is. Bytes that
/// are absent are as if they were empty. Borrows the repository. For one thread.
class GraphSource {
 public:
  /// A run.
  GraphSource(const compile::Repository& repository, const RunName& run, GraphOptions options = {});

  /// A history that no run wrote, such as an imported session: all first parents of what read() is
  /// given.
  explicit GraphSource(const compile::Repository& repository, GraphOptions options = {});

  ~GraphSource();
  GraphSource(GraphSource&&) noexcept;

  /// Reads on up to `head`, which is the last head or comes after it on its line, else
  /// Code::invalid; likewise of the critic's own chain.
  Result<Debrief> read(const Oid& head, const std::optional<Oid>& critic = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The debrief of a run with its critic's calls, at its head.
Result<Debrief> debrief_of(const compile::Repository& repository, const RunName& run,
                           GraphOptions options = {});

}  // namespace spoor::agent::debrief
