#pragma once

#include <span>

#include "store/sqlite/arrivals.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {

/// Store::rebuild, within the open transaction: the index, the refs' snapshot and
/// what callers cached are made again or dropped, and commits are placed anew
/// when their places are wrong. Rows that cannot be read are left for check().
/// `arrived` is what salvage_arrivals() found: it goes to the tables. `refs` is a fresh cache, and
/// ends as one of the newest operation.
Result<void> rebuild(Connection& connection, std::span<const Salvaged> arrived, RefCache& refs);

}  // namespace spoor::store::sqlite
