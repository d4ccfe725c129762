#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/oid.h"

namespace spoor::store {

/// The largest integer in strict text, 2^53 - 1: exact in every JSON reader.
constexpr std::uint64_t kMaxInteger = 9'007'199'254'740'991;

/// Reads strict text: lines of `key SP value LF` in a fixed order. Each `take` looks at the next
/// line only, so a repeated, unknown or misplaced key is never taken, and `finished` returns false.
class LineReader {
 public:
  explicit LineReader(std::string_view body);

  /// Returns the value of the next line and moves past it, if its key is `key`.
  std::optional<std::string_view> take(std::string_view key);

  /// True if nothing is left, every line ended with LF, and none was malformed.
  bool finished() const { return rest_.empty() && sound_; }

  /// Returns the key of the first line not taken; empty at the end. For messages.
  std::string_view next_key() const;

 private:
  std::string_view rest_;
  bool sound_;  // The body is not empty and ends with LF.
};

/// Parses a decimal without sign or leading zeros, at most kMaxInteger.
std::optional<std::uint64_t> parse_integer(std::string_view text);

/// Returns whether `text` is a value for people: 1 to `max` bytes of UTF-8, without control
/// characters, U+2028/2029 or leading or trailing spaces.
bool is_plain_line(std::string_view text, std::size_t max);

/// Appends `key value LF`.
void append_line(std::string& out, std::string_view key, std::string_view value);
void append_line(std::string& out, std::string_view key, const Oid& value);
void append_line(std::string& out, std::string_view key, std::uint64_t value);

}  // namespace spoor::store
