#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// A fact about this copy of the store (Store::local); nothing when it is not there.
Result<std::optional<std::string>> local_fact(Connection& connection, std::string_view key);

/// One that is a whole number; 0 when it is not there, or none.
Result<std::uint64_t> local_number(Connection& connection, std::string_view key);

/// Sets a fact, or takes it away. Within a write transaction.
Result<void> set_local_fact(Connection& connection, std::string_view key,
                            std::optional<std::string_view> value);

}  // namespace spoor::store::sqlite
