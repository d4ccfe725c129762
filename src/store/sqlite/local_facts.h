#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// A fact about this copy of the store (Store::local); nothing when it is not there. Code::corrupt
/// when it is not what was set. Within a transaction: a fact and what it is held against are two
/// rows.
Result<std::optional<std::string>> local_fact(Connection& connection, std::string_view key);

/// One that is a whole number; 0 when it is not there, or none.
Result<std::uint64_t> local_number(Connection& connection, std::string_view key);

/// Sets a fact, or takes it away. Within a write transaction.
Result<void> set_local_fact(Connection& connection, std::string_view key,
                            std::optional<std::string_view> value);

/// Takes all facts for what was set. Within a write transaction.
Result<void> seal_local_facts(Connection& connection);

}  // namespace spoor::store::sqlite
