#pragma once

#include <cstdint>
#include <unordered_map>

#include "store/oid.h"
#include "store/sqlite/handle.h"

namespace spoor::store::sqlite {

/// A connection's knowledge of the index beyond the table `names` (names.h).
struct NameTail {
  std::int64_t indexed = -1;  ///< the table is complete as of this operation; -1: unknown
  std::int64_t seen = 0;      ///< the newest operation read, and its name; at least `indexed`
  Oid seen_name;
  std::unordered_map<Oid, Handle> handles;  ///< of the operations from `indexed` to `seen`
  bool is_current = false;                  ///< valid for the open transaction

  /// Call after a rollback: operations read before may not exist.
  void forget() { *this = NameTail(); }
};

}  // namespace spoor::store::sqlite
