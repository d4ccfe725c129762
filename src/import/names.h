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

/// Is `word` one of `words`, which stand between blanks or line ends?
bool is_one_of(std::string_view word, std::string_view words);

/// What may stand in a report: ASCII letters, digits, `._-`, at most 64 bytes, everything else
/// a `-`.
std::string plain_word(std::string_view text);

/// The same without dots, which a ref's name may hold in few places only.
std::string ref_word(std::string_view text);

/// What a record is called in a report: plain words, with a slash between them.
std::string label_of(std::string_view type, std::string_view subtype = {});

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

namespace spoor::import {

/// Numbers by name, of the names set last; older ones are forgotten, so that a
/// source of any length needs no more.
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
