#pragma once

#include <cstdint>
#include <unordered_map>

#include "store/oid.h"
#include "store/sqlite/handle.h"

namespace spoor::store::sqlite {

/// What a connection knows of the index beyond the table `names` (names.h).
struct NameTail {
  std::int64_t indexed = -1;  ///< the operation as of which the table is complete; -1: unknown
  std::int64_t seen = 0;      ///< the newest operation taken in, and its name; at least `indexed`
  Oid seen_name;
  std::unordered_map<Oid, Handle> handles;  ///< of the operations from `indexed` to `seen`
  bool is_current = false;                  ///< as of the open transaction

  /// After a rollback: whatever was taken in may never have been.
  void forget() { *this = NameTail(); }
};

}  // namespace spoor::store::sqlite
