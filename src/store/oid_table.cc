#include "store/oid_table.h"

#include <limits>
#include <stdexcept>

namespace spoor::store {

OidTable::Id OidTable::intern(const Oid& oid) {
  if (names_.size() * 4 >= slots_.size() * 3) grow();
  Id& slot = slots_[slot_of(oid)];
  if (slot == 0) {
    if (names_.size() + 1 == std::numeric_limits<Id>::max()) {
      throw std::length_error("more than 2^32 names");
    }
    names_.push_back(oid);
    slot = static_cast<Id>(names_.size());
  }
  return slot - 1;
}

std::optional<OidTable::Id> OidTable::find(const Oid& oid) const {
  if (slots_.empty()) return std::nullopt;
  const Id slot = slots_[slot_of(oid)];
  if (slot == 0) return std::nullopt;
  return slot - 1;
}

// Returns the slot of the name, or the free slot for it. There is always a free slot.
std::size_t OidTable::slot_of(const Oid& oid) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = std::hash<Oid>()(oid) & mask;
  while (slots_[at] != 0 && names_[slots_[at] - 1] != oid) at = (at + 1) & mask;
  return at;
}

void OidTable::grow() {
  slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    slots_[slot_of(names_[i])] = static_cast<Id>(i + 1);
  }
}

}  // namespace spoor::store
