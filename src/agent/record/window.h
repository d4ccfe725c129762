#pragma once

#include <cstdint>

#include "graph/repository.h"

namespace spoor::agent::record {

/// Returns the token budget for a run's prompt at a commit: `window`, or more if the newest
/// exchange (the last answer and everything after it) does not fit next to the pinned turns. That
/// exchange is never left out: a model that does not see its last action would repeat it. Depends
/// only on the commit, as the prompt does.
Result<std::int64_t> budget_at(const graph::Repository& repository, const compile::Oid& commit,
                               std::int64_t window);

}  // namespace spoor::agent::record
