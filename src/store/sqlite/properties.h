#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "store/sqlite/connection.h"
#include "store/store.h"

namespace spoor::store::sqlite {

/// The key of the local fact that counts the changes of properties.
inline constexpr std::string_view kPropertyChanges = "property_changes";

/// Returns the store's epoch (Properties::epoch): the number of erasures, sweeps and changes of
/// properties. Within a transaction.
Result<std::uint64_t> epoch(Connection& connection);

/// Reads properties, which are local facts, and the epoch. Within a transaction.
Result<Properties> properties(Connection& connection, std::span<const std::string_view> keys);

/// Sets or removes properties, and ends the epoch. Within a write transaction.
Result<void> set_properties(Connection& connection, std::span<const PropertyChange> changes);

}  // namespace spoor::store::sqlite
