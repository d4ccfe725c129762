#pragma once

#include <unordered_set>

#include "graph/repository.h"
#include "graph/text_query.h"

namespace spoor::graph {

using store::Oid;

/// Adds to `index` the texts and calls of all commits that a ref was ever moved to by an operation
/// of the log, and of their ancestors. Costs time in proportion to what was stored since the last
/// call; after an erasure the index is rebuilt. Skips refs whose target gc removed, and absent
/// contents. Returns Code::not_found if an ancestor of a stored commit is missing; the index is
/// then unchanged.
Result<void> bring_up_to_date(const Repository& repository, store::SearchIndex& index);

/// Returns the stored commits that match a query. A commit's text and calls are searched together,
/// but a phrase does not match across two of them, or across a call's name and arguments. A damaged
/// index is emptied and rebuilt once.
Result<std::unordered_set<Oid>> match_commits(const Repository& repository,
                                              store::SearchIndex& index, const TextQuery& query);

}  // namespace spoor::graph
