#pragma once

#include "store/sqlite/connection.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {

/// Store::rebuild, within the open transaction: the index, the refs' snapshot and
/// what callers cached are made again or dropped, and commits are placed anew
/// when their places are wrong. Rows that cannot be read are left for check().
/// `refs` is a fresh cache, and ends as one of the newest operation.
Result<void> rebuild(Connection& connection, RefCache& refs);

}  // namespace spoor::store::sqlite
