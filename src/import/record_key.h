#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace spoor::import {

/// A name or a record in 16 bytes, for tables that grow with the source: the
/// front of its SHA-256, so two never meet.
struct RecordKey {
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const RecordKey&) const = default;

  static RecordKey of(std::string_view text);

  /// The first eight bytes as a number.
  std::uint64_t front() const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  /// The first `digits` (at most 32) hexadecimal digits.
  std::string hex(std::size_t digits) const;
};

}  // namespace spoor::import

template <>
struct std::hash<spoor::import::RecordKey> {
  std::size_t operator()(const spoor::import::RecordKey& key) const noexcept {
    return static_cast<std::size_t>(key.front());
  }
};
