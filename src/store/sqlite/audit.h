#pragma once

#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// Implements Store::check: finds everything in the file that contradicts the format or another
/// part of the file, except wrong hashes of objects. Continues after damage, so one bad row hides
/// no other. Within a read transaction.
Result<std::vector<Store::Finding>> audit(Connection& connection);

/// Returns whether in every segment each commit's row directly follows its first parent's. Skips
/// unreadable rows.
Result<bool> are_places_sound(Connection& connection);

}  // namespace spoor::store::sqlite
