#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/repository.h"

namespace spoor::agent {

/// The ways to make room in a run's window when its prompt has filled it.
enum class WhenFull {
  drop_each,  ///< the oldest turns leave one by one, as in runs of the earliest versions
  drop,       ///< many turns leave at once, so that the prompts between begin alike, which a
              ///< provider's cache wants
  clear,      ///< the text of old tool results leaves first, many at once; then as `drop`
  compact,    ///< as `clear`; then the model summarises the turns, which the summary replaces
};
std::string_view name_of(WhenFull when);
std::optional<WhenFull> when_full_from(std::string_view name);

/// The place where an agent works: a branch, the principal, and how much of the branch a model is
/// shown. A further run on the same session continues after the last one; a fork explores.
///
/// The window is that of `compile`: pinned turns always (the system prompt and the run's goal),
/// then the newest others that fit (record/window.h). Borrows the repository. For one thread.
class Session {
 public:
  struct Options {
    std::string principal;                ///< on whose behalf; may be empty
    std::int64_t window_tokens = 32'000;  ///< of a prompt; counted by the repository's counter
    WhenFull when_full = WhenFull::compact;
  };

  Session(graph::Repository& repository, std::string branch);
  Session(graph::Repository& repository, std::string branch, Options options);

  graph::Branch& branch() { return branch_; }
  graph::Repository& repository() const { return branch_.repository(); }
  const Options& options() const { return options_; }

  /// Returns a session on a new branch that begins at this one's tip. Returns Code::conflict if the
  /// name is taken, Code::not_found if this branch has no commit.
  Result<Session> fork(const std::string& name) const;

  /// Merges a fork back: its turns stay reachable, and `summary` replaces them in the prompt here.
  /// Returns the merge commit.
  Result<compile::Oid> take_back(const Session& child, const std::string& summary);

 private:
  graph::Branch branch_;
  Options options_;
};

}  // namespace spoor::agent
