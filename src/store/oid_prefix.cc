#include "store/oid_prefix.h"

#include <string>

namespace spoor::store {

std::optional<Oid> lowest_oid_with(std::string_view prefix) {
  if (prefix.size() > 64) return std::nullopt;
  std::string digits(prefix);
  digits.resize(64, '0');
  return Oid::from_hex(digits);
}

bool has_prefix(const Oid& oid, std::string_view prefix) { return oid.hex().starts_with(prefix); }

}  // namespace spoor::store
