#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// The local fact that gc removed what dictionaries may hold pieces of: the next compact() learns
/// them anew. It promises less than kUnfinishedErasure.
inline constexpr std::string_view kStaleDictionaries = "packing.stale";

/// How often something was taken out of the store for good (kErasures): what was learned or indexed
/// when the count was another may hold pieces of it.
Result<std::uint64_t> erasures(Connection& connection);

/// One more, in the transaction that takes it out: also where nobody comes to clear up afterwards.
Result<void> count_erasure(Connection& connection);

}  // namespace spoor::store::sqlite
