#pragma once

#include <cstddef>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// Finds JSON values in other text, such as a model's answer. Borrows the text; a returned value is
/// valid until the next call.
///
/// All calls of one Finder together read at most kMaxReadings times the text (a short text counts
/// as 4 KiB) plus the value that reaches this limit. This bounds the time for texts in which every
/// brace begins another broken value; nothing more is found after the limit.
class Finder {
 public:
  static constexpr std::size_t kMaxReadings = 16;

  explicit Finder(std::string_view text);

  /// Returns the value that begins at `from`, after optional white space; missing if none does.
  Value value_at(std::size_t from);

  /// Returns the first value at or after `from` that begins with one of `openings`. Missing if
  /// there is none, or if the text ends inside one: the content of a torn value is part of it.
  Value first_of(std::string_view openings, std::size_t from);

  /// Returns the end offset of a value that this Finder returned.
  std::size_t end_of(const Value& value) const;

  /// Returns true if the text ended inside the last value that was read.
  bool is_torn() const { return is_torn_; }

  /// Returns the number of bytes read so far, including repeated readings.
  std::size_t bytes_read() const { return bytes_read_; }

 private:
  std::string_view text_;
  Document document_;
  std::size_t most_ = 0;
  std::size_t bytes_read_ = 0;
  bool is_torn_ = false;
};

}  // namespace spoor::json
