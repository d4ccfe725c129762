#pragma once

#include <span>

#include "store/sqlite/arrivals.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {

/// Implements Store::rebuild, within the open transaction: rebuilds the index and the refs'
/// snapshot, drops the data that callers cached, and places commits anew if their places are wrong.
/// Leaves unreadable rows to check(). `arrived` is the result of salvage_arrivals(), which is moved
/// to the tables. `refs` is a fresh cache and is up to date afterwards.
Result<void> rebuild(Connection& connection, std::span<const Salvaged> arrived, RefCache& refs);

}  // namespace spoor::store::sqlite
