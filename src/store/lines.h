#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// Integers in strict text stay exact in every JSON reader: at most 2^53 - 1.
constexpr std::uint64_t kMaxInteger = 9'007'199'254'740'991;

/// Reads strict text: lines of `key SP value LF`, in one fixed order. Each
/// `take` looks at the next line only, so a repeated, unknown or misplaced key
/// is left over, and `finished` is false.
class LineReader {
 public:
  explicit LineReader(std::string_view body);

  /// The value of the next line if its key is `key`; moves past it.
  std::optional<std::string_view> take(std::string_view key);

  /// Nothing is left, every line ended with LF, and none was malformed.
  bool finished() const { return rest_.empty() && sound_; }

  /// The key of the line that no `take` wanted; empty at the end. For messages.
  std::string_view next_key() const;

 private:
  std::string_view rest_;
  bool sound_;  // There is a body, and it ends with LF.
};

/// Decimal without sign or leading zeros, at most kMaxInteger.
std::optional<std::uint64_t> parse_integer(std::string_view text);

/// A value that people wrote: 1 to `max` bytes of UTF-8, without control
/// characters, U+2028/2029 or outer spaces.
bool is_plain_line(std::string_view text, std::size_t max);

/// Appends `key value LF`.
void append_line(std::string& out, std::string_view key, std::string_view value);
void append_line(std::string& out, std::string_view key, const Oid& value);
void append_line(std::string& out, std::string_view key, std::uint64_t value);

}  // namespace spoor::store
