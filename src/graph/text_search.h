#pragma once

#include <vector>

#include "graph/repository.h"
#include "graph/text_query.h"

namespace spoor::graph {

using store::Oid;

/// Which histories are searched.
struct HistoryTips {
  std::vector<Oid> tips;     ///< these commits and their ancestors
  std::vector<Oid> without;  ///< but not these and theirs
};

/// Adds to `index` the texts and calls of all commits that a ref was ever moved to by an operation
/// of the log, of `tips`, and of their ancestors. Costs time in proportion to what was stored since
/// the last call; after an erasure the index is rebuilt. Skips refs whose target gc removed, and
/// absent contents. Returns Code::not_found if an ancestor of a stored commit is missing; the index
/// is then unchanged.
Result<void> bring_up_to_date(const Repository& repository, store::SearchIndex& index,
                              const std::vector<Oid>& tips = {});

/// Returns the commits of a history that match a query, newest first by their times. Costs the
/// matches and the number of branches, not the length of the history. A commit's text and calls are
/// searched together, but a phrase does not match across two of them, or across a call's name and
/// arguments. A damaged index is emptied and rebuilt once.
Result<std::vector<Oid>> match_commits(const Repository& repository, store::SearchIndex& index,
                                       const TextQuery& query, const HistoryTips& history);

}  // namespace spoor::graph
