#pragma once

#include <cstdint>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

// When gc folds operations of the log, their names stay in the table `folded` of a store of format
// 4. A user who has seen the name of such an operation can still verify that it was in this log.

/// Adds the names of the operations up to that number to the table, before they are removed. Does
/// nothing in a store of an older format. Within the open transaction.
Result<void> keep_folded_names(Connection& connection, std::int64_t number);

/// Returns the names in the table. Code::unavailable in a store of an older format, Code::corrupt
/// if a row is malformed or missing. Within a transaction.
Result<OperationNames> folded_names(Connection& connection);

/// Finds errors in the table, and contradictions between it and the log.
Result<std::vector<Store::Finding>> damaged_folded_names(Connection& connection);

}  // namespace spoor::store::sqlite
