#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace spoor::import {

/// Returns true if `word` is one of `words`, which are separated by blanks or line ends.
bool is_one_of(std::string_view word, std::string_view words);

/// Returns `text` as a word for reports: at most 64 bytes, each byte other than an ASCII letter, a
/// digit or one of `._-` replaced by `-`.
std::string plain_word(std::string_view text);

/// Returns the same without dots, which are allowed in few places of a ref's name.
std::string ref_word(std::string_view text);

/// Returns the name of a record type in reports: plain words, separated by a slash.
std::string label_of(std::string_view type, std::string_view subtype = {});

/// A name or a record in 16 bytes, for tables that grow with the source: the first bytes of its
/// SHA-256, so two never collide.
struct RecordKey {
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const RecordKey&) const = default;

  static RecordKey of(std::string_view text);

  /// Returns the first eight bytes as a number.
  std::uint64_t front() const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  /// Returns the first `digits` (at most 32) hexadecimal digits.
  std::string hex(std::size_t digits) const;
};

}  // namespace spoor::import

template <>
struct std::hash<spoor::import::RecordKey> {
  std::size_t operator()(const spoor::import::RecordKey& key) const noexcept {
    return static_cast<std::size_t>(key.front());
  }
};

namespace spoor::import {

/// A table of numbers by name. It keeps the names added last and drops older ones, so its size is
/// bounded for any source.
class RecentNames {
 public:
  static constexpr std::size_t kMost = 16'384;

  void set(std::string_view name, std::uint32_t number);
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::unordered_map<RecordKey, std::uint32_t> numbers_;
  std::deque<RecordKey> order_;  // Each key once, the oldest first.
};

}  // namespace spoor::import
