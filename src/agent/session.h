#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graph/repository.h"

namespace spoor::agent {

/// Where an agent works: a branch, who it works for, and how much of the branch a model is shown.
/// Use it again and the next run goes on where the last one ended; fork it to explore.
///
/// The window is that of `compile`: pinned turns always (the system prompt and the goal of the
/// run), of the others the newest that fit. Borrows the repository. For one thread.
class Session {
 public:
  struct Options {
    std::string principal;                ///< on whose behalf; may be empty
    std::int64_t window_tokens = 32'000;  ///< of a prompt; counted by the repository's counter
  };

  Session(graph::Repository& repository, std::string branch);
  Session(graph::Repository& repository, std::string branch, Options options);

  graph::Branch& branch() { return branch_; }
  graph::Repository& repository() const { return branch_.repository(); }
  const Options& options() const { return options_; }

  /// A session on a new branch that begins where this one stands. Code::conflict when the name is
  /// taken, Code::not_found while there is nothing on this branch.
  Result<Session> fork(const std::string& name) const;

  /// Brings a fork back: its turns stay reachable, and `summary` is what is seen of them here.
  /// Returns the merge commit.
  Result<compile::Oid> take_back(const Session& child, const std::string& summary);

 private:
  graph::Branch branch_;
  Options options_;
};

}  // namespace spoor::agent
