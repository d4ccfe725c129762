#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/oid.h"

namespace spoor::store {

/// Numbers names 0, 1, 2, … in the order they are first seen. Takes about 44
/// bytes a name, so that a walk can hold every object of a large store. A value.
class OidTable {
 public:
  using Id = std::uint32_t;

  /// The name's number; a new one if it was not seen before.
  Id intern(const Oid& oid);

  /// The name's number, if it was seen.
  std::optional<Id> find(const Oid& oid) const;

  const Oid& name(Id id) const { return names_.at(id); }
  std::size_t size() const { return names_.size(); }

 private:
  std::size_t slot_of(const Oid& oid) const;
  void grow();

  std::vector<Oid> names_;
  std::vector<Id> slots_;  // Open addressing: a name's number + 1, or 0. A power of two.
};

}  // namespace spoor::store
