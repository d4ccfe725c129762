#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/oid.h"

namespace spoor::store {

/// Assigns names the numbers 0, 1, 2, … in the order first seen. Takes about 44 bytes a name, so a
/// walk can hold every object of a large store. A value.
class OidTable {
 public:
  using Id = std::uint32_t;

  /// Returns the name's number; assigns the next one to a new name.
  Id intern(const Oid& oid);

  /// Returns the name's number; nullopt if the name is unknown.
  std::optional<Id> find(const Oid& oid) const;

  const Oid& name(Id id) const { return names_.at(id); }
  std::size_t size() const { return names_.size(); }

 private:
  std::size_t slot_of(const Oid& oid) const;
  void grow();

  std::vector<Oid> names_;
  std::vector<Id> slots_;  // Open addressing, size a power of two: a name's number + 1, or 0.
};

}  // namespace spoor::store
