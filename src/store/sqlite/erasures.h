#pragma once

#include <cstdint>

#include "store/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// How often something was taken out of the store for good (kErasures): what was learned or indexed
/// when the count was another may hold pieces of it.
Result<std::uint64_t> erasures(Connection& connection);

/// One more, in the transaction that takes it out: also where nobody comes to clear up afterwards.
Result<void> count_erasure(Connection& connection);

/// Until compact() has seen to it, bytes of what was erased may lie in free pages, in dictionaries,
/// in the log and in files beside the store.
Result<void> note_unfinished_erasure(Connection& connection);

/// The same of what gc removed, which promises less: the next compact() learns dictionaries anew.
Result<void> note_stale_dictionaries(Connection& connection);
Result<bool> has_stale_dictionaries(Connection& connection);
Result<void> dictionaries_are_fresh(Connection& connection);

}  // namespace spoor::store::sqlite
