#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace spoor::cli::git {

/// The name of a git object: 20 bytes of SHA-1. Git chose the hash; our own data does not depend on
/// it. A value, ordered by its bytes.
struct GitOid {
  std::array<std::uint8_t, 20> bytes{};

  auto operator<=>(const GitOid&) const = default;

  /// Returns 40 lower-case digits.
  std::string hex() const;

  /// Returns the bytes as a view that lives as long as this.
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Computes SHA-1 (FIPS 180-4) of bytes added in pieces.
class Sha1 {
 public:
  Sha1();
  Sha1& add(std::string_view bytes);
  GitOid finish();  ///< call once

 private:
  alignas(8) std::array<unsigned char, 96> context_;  // Of libcrypto, whose header stays out.
};

}  // namespace spoor::cli::git

/// Uses the first bytes of the name: git objects are many, and no attacker can choose their
/// buckets.
template <>
struct std::hash<spoor::cli::git::GitOid> {
  std::size_t operator()(const spoor::cli::git::GitOid& oid) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, oid.bytes.data(), sizeof value);
    return value;
  }
};
