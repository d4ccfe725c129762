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

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;

  /// The first `digits` (at most 64) of hex().
  std::string hex(std::size_t digits) const { return hex().substr(0, digits); }

  /// The bytes as a view; lives as long as this Oid.
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// Exactly 64 lower-case digits, or nothing.
  static std::optional<Oid> from_hex(std::string_view text);

  /// Exactly 32 bytes, or nothing.
  static std::optional<Oid> from_bytes(std::string_view bytes);
};

/// Appends hex() to `out` without an allocation of its own.
void append_hex(std::string& out, const Oid& oid);

}  // namespace spoor::store

/// Any eight bytes of a hash are a hash.
template <>
struct std::hash<spoor::store::Oid> {
  std::size_t operator()(const spoor::store::Oid& oid) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, oid.bytes.data(), sizeof value);
    return value;
  }
};
