#pragma once

#include <unordered_set>

#include "compile/repository.h"
#include "compile/text_query.h"
#include "store/sqlite/text_index.h"

namespace spoor::compile {

/// Brings `index` up to what `repository` stores now: every text of every commit that
/// an operation of the log ever moved a ref to, or that is before such a one. Costs what
/// was stored since the last time; but after an erasure all of it is made anew. Texts
/// whose bytes are absent are passed over.
Result<void> bring_up_to_date(const Repository& repository, store::TextIndex& index);

/// The contents that match a query, of all that is stored at the moment.
Result<std::unordered_set<Oid>> match_contents(const Repository& repository,
                                               store::TextIndex& index, const TextQuery& query);

}  // namespace spoor::compile
