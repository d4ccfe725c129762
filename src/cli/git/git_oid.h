#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace spoor::cli::git {

/// The name of a git object: 20 bytes of SHA-1. Git chose the hash, and nothing of
/// ours rests on it. A value, ordered by its bytes.
struct GitOid {
  std::array<std::uint8_t, 20> bytes{};

  auto operator<=>(const GitOid&) const = default;

  /// 40 lower-case digits.
  std::string hex() const;

  /// The bytes as a view; lives as long as this.
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// SHA-1 (FIPS 180-4) of bytes that come in pieces.
class Sha1 {
 public:
  Sha1();
  Sha1& add(std::string_view bytes);
  GitOid finish();  ///< once

 private:
  alignas(8) std::array<unsigned char, 96> context_;  // Of libcrypto, whose header stays out.
};

}  // namespace spoor::cli::git

/// Git objects are many and nobody can choose where they go: any bytes of a hash do.
template <>
struct std::hash<spoor::cli::git::GitOid> {
  std::size_t operator()(const spoor::cli::git::GitOid& oid) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, oid.bytes.data(), sizeof value);
    return value;
  }
};
