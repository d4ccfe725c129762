#pragma once

#include <cstdint>

#include "graph/repository.h"

namespace spoor::agent::record {

/// A run's window of the branch.
struct Window {
  std::int64_t tokens = 0;  ///< the most that a prompt has
  bool in_blocks = true;    ///< as Session::Options::leaves_in_blocks
};

/// Returns the token budget for a run's prompt at a commit: at most the window's tokens, or more if
/// the newest exchange (the last answer and everything after it) does not fit next to the pinned
/// turns. That exchange is never left out: a model that does not see its last action would repeat
/// it. Depends only on the commit, as the prompt does.
///
/// In blocks, what is left out grows by two fifths of the window at a time: between two such
/// moments all prompts begin with the same turns. After one, a prompt has three fifths of the
/// window, so a full window costs one new prefix for about as many tokens as leave it.
Result<std::int64_t> budget_at(const graph::Repository& repository, const compile::Oid& commit,
                               const Window& window);

}  // namespace spoor::agent::record
