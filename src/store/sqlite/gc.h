#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/sqlite/ref_cache.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// Notes, in the table `local`, that these were put while the newest operation was the newest: one
/// row for each that no other of them names (put_roots.h). Within a write transaction.
Result<void> note_put(Connection& connection, std::span<const NewObject> objects);

/// Store::loose.
Result<std::vector<Oid>> loose(Connection& connection, std::uint64_t since);

/// Drops what callers cached (Store::put_cached). Within a write transaction.
Result<void> drop_cached(Connection& connection);

/// Store::sweep, within a write transaction. `refs` is what they are afterwards.
Result<void> sweep(Connection& connection, const Sweep& sweep, RefCache& refs);

}  // namespace spoor::store::sqlite
