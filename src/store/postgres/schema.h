#pragma once

#include "store/postgres/connection.h"

namespace spoor::store::postgres {

/// The version of the tables. A server with a later one is refused.
constexpr std::int64_t kSchemaVersion = 1;

/// SQLSTATEs of the conditions of a change that do not hold.
constexpr std::string_view kMoved = "SP001";    ///< a ref is not where it was
constexpr std::string_view kStale = "SP002";    ///< the epoch is over
constexpr std::string_view kMissing = "SP003";  ///< a required object is not stored

/// Makes the tables, if they are not there. Errors are those of Connection::run().
Result<void> create_tables(Connection& connection);

/// Asks for the version of the tables. Fails with Code::not_found if the database has none.
extern const Statement kVersion;

/// Returns Code::unavailable if the answer to kVersion is another version than kSchemaVersion.
Result<void> check_version(const Rows& rows);

}  // namespace spoor::store::postgres
