#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// Implements Store::run, with a range of rows for each segment. Within a read transaction.
Result<void> walk(Connection& connection, const Oid& from, std::size_t count, std::size_t contents,
                  const Store::RunVisitor& visit);

/// Implements Store::scan. Within a read transaction.
Result<void> scan(Connection& connection, const Store::ScanVisitor& visit);

/// Implements Store::find, from the lowest name with the prefix on.
Result<std::vector<Oid>> find_names(Connection& connection, const Oid& lowest,
                                    std::string_view prefix, Kind kind, std::size_t limit);

/// Implements Store::operation_at. Within a read transaction.
Result<std::optional<LoggedOperation>> operation_at(Connection& connection, std::string_view ref,
                                                    Timestamp time);

}  // namespace spoor::store::sqlite
