#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
/// line costs the new commits, and what is shown. Memory is bounded, however long the history is.
/// Bytes that are absent are as if they were empty. Borrows the repository. For one thread.
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

  /// How far read() came, and all that it needs to go on: bytes for a cache, the same for the same
  /// commits.
  std::string state() const;

  /// Goes on from such a state, before the first read(). False, and nothing changes: it is none, of
  /// other options, or not of these lines.
  Result<bool> go_on_from(std::string_view state, const Oid& head,
                          const std::optional<Oid>& critic = {});

  /// Commits that were read here, and not by whoever made the state.
  std::uint64_t taken() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::agent::debrief
