#pragma once

#include <string>
#include <string_view>

#include "store/postgres/connection.h"

namespace spoor::store::postgres {

/// The newest version of the tables. Those of an earlier one are used as they are: version 2 added
/// who may do what (roles.h). A later one is refused.
constexpr std::int64_t kSchemaVersion = 2;

/// SQLSTATEs of the conditions of a change that do not hold.
constexpr std::string_view kMoved = "SP001";    ///< a ref is not where it was
constexpr std::string_view kStale = "SP002";    ///< the epoch is over
constexpr std::string_view kMissing = "SP003";  ///< a required object is not stored
constexpr std::string_view kErased = "SP004";   ///< keys of a sealed store are being destroyed

/// Returns a statement that fails if a schema is another user's. What is in it, such as a trigger,
/// would be run with the rights of who makes tables there.
std::string own_schema(std::string_view name);

/// Makes the tables, if they are not there, and takes them to the newest version, in one
/// transaction. Errors are those of Connection::run().
Result<void> create_tables(Connection& connection);

/// Asks for the version of the tables. Fails with Code::not_found if the database has none.
extern const Statement kVersion;

/// Makes the function that ends a statement with an error of the given SQLSTATE.
extern const Statement kRefuse;

/// Returns the version in the answer to kVersion; Code::unavailable if it is later than
/// kSchemaVersion.
Result<std::int64_t> check_version(const Rows& rows);

}  // namespace spoor::store::postgres
