#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// The key of the local fact that counts erasures and sweeps.
inline constexpr std::string_view kErasures = "erasures";

/// The key of the local fact that dictionaries may contain pieces of objects that gc removed: the
/// next compact() trains new ones. Its promise is weaker than that of kUnfinishedErasure.
inline constexpr std::string_view kStaleDictionaries = "packing.stale";

/// Returns the number of erasures (kErasures). Data trained or indexed at another count may contain
/// pieces of erased objects.
Result<std::uint64_t> erasures(Connection& connection);

/// Increments the count, within the transaction that erases, so that it is right even if the later
/// cleanup never happens.
Result<void> count_erasure(Connection& connection);

}  // namespace spoor::store::sqlite
