#pragma once

#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// Store::check: everything in the file that contradicts the format or another
/// part of the file, hashes of objects aside. Reads on over damage, so one bad
/// row hides no other. Within a read transaction.
Result<std::vector<Store::Finding>> audit(Connection& connection);

/// Is every commit's row behind its first parent's, wherever a row is behind
/// another? Rows that cannot be read are passed over.
Result<bool> are_places_sound(Connection& connection);

}  // namespace spoor::store::sqlite
