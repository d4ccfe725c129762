#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::store {

/// The name of an object: 32 bytes of SHA-256. A value; ordered by its bytes,
/// which is also the order of its hexadecimal form.
struct Oid {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Oid&) const = default;

  /// Returns 64 lower-case hexadecimal digits.
  std::string hex() const;

  /// Returns the first `digits` (at most 64) of hex().
  std::string hex(std::size_t digits) const { return hex().substr(0, digits); }

  /// Returns a view of the bytes, valid as long as this Oid.
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// Parses exactly 64 lower-case digits; nullopt for anything else.
  static std::optional<Oid> from_hex(std::string_view text);

  /// Copies exactly 32 bytes; nullopt for any other size.
  static std::optional<Oid> from_bytes(std::string_view bytes);
};

/// Appends hex() to `out` without a temporary string.
void append_hex(std::string& out, const Oid& oid);

}  // namespace spoor::store

/// Uses the first bytes of the name, which is itself a hash.
template <>
struct std::hash<spoor::store::Oid> {
  std::size_t operator()(const spoor::store::Oid& oid) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, oid.bytes.data(), sizeof value);
    return value;
  }
};
