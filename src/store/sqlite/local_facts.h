#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// Returns a fact about this copy of the store (Store::local); nullopt if it is not set.
/// Code::corrupt if it does not match its seal. Within a transaction, since a fact and its seal are
/// two rows.
Result<std::optional<std::string>> local_fact(Connection& connection, std::string_view key);

/// Returns a fact that is a whole number; 0 if it is not set or not a number.
Result<std::uint64_t> local_number(Connection& connection, std::string_view key);

/// Sets or removes a fact. Within a write transaction.
Result<void> set_local_fact(Connection& connection, std::string_view key,
                            std::optional<std::string_view> value);

/// Seals all facts with their current values. Within a write transaction.
Result<void> seal_local_facts(Connection& connection);

}  // namespace spoor::store::sqlite
