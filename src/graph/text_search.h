#pragma once

#include <unordered_set>

#include "graph/repository.h"
#include "graph/text_query.h"
#include "store/sqlite/text_index.h"

namespace spoor::graph {

using store::Oid;

/// Brings `index` up to what `repository` stores now: what every commit says, in its text
/// and its calls, that an operation of the log ever moved a ref to, or that is before such
/// a one. Costs what was stored since the last time; but after an erasure all of it is made
/// anew. What an operation named and gc took is passed over, as are absent contents; a commit that
/// is missing before one that is there is Code::not_found, and the index stays as it was.
Result<void> bring_up_to_date(const Repository& repository, store::TextIndex& index);

/// The commits that match a query, of all that is stored at the moment. A commit's text and
/// calls count as one, but no phrase goes over from one to the next, nor from a call's name
/// to its arguments. An index that shows damage is emptied and fed once more.
Result<std::unordered_set<Oid>> match_commits(const Repository& repository, store::TextIndex& index,
                                              const TextQuery& query);

}  // namespace spoor::graph
