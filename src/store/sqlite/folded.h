#pragma once

#include <cstdint>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

// What gc folds of the log leaves the names of its operations behind, in the table `folded` of a
// store of format 4: who was shown one of them can still be shown that it was of this log.

/// Keeps the names of the operations up to that number which are not there yet, before they go.
/// Nothing in a store of an older format. Within the open transaction.
Result<void> keep_folded_names(Connection& connection, std::int64_t number);

/// What is wrong with the table, and with it against the log.
Result<std::vector<Store::Finding>> damaged_folded_names(Connection& connection);

}  // namespace spoor::store::sqlite
