#pragma once

#include <cstdint>

#include "graph/repository.h"

namespace spoor::agent::record {

/// The budget to compile a run's prompt with at a commit: `window` tokens, and more only where the
/// newest exchange (the last answer and all that came after it) does not fit beside what is pinned.
/// It is never left out: a model that does not see what it just did would do it again. A function
/// of the commit, as the prompt is.
Result<std::int64_t> budget_at(const graph::Repository& repository, const compile::Oid& commit,
                               std::int64_t window);

}  // namespace spoor::agent::record
