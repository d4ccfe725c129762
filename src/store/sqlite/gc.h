#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/sqlite/ref_cache.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// Records in the table `local` that these objects were put while the newest operation was the
/// newest: one row for each that no other of them names (put_roots.h). Within a write transaction.
Result<void> note_put(Connection& connection, std::span<const NewObject> objects);

/// Implements Store::loose.
Result<std::vector<Oid>> loose(Connection& connection, std::uint64_t since);

/// Removes the data that callers cached (Store::put_cached). Within a write transaction.
Result<void> drop_cached(Connection& connection);

/// Implements Store::sweep, within a write transaction. Afterwards `refs` is up to date.
Result<void> sweep(Connection& connection, const Sweep& sweep, RefCache& refs);

}  // namespace spoor::store::sqlite
