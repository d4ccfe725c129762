#pragma once

#include <cstddef>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// Finds JSON values in a text that is something else, such as the answer of a model. Borrows the
/// text; a value that it gave is good until the next call.
///
/// All calls of one Finder together read at most kMaxReadings times the text (a short one counts
/// as 4 KiB) and what the last of them begins: whoever writes a text in which every brace begins
/// another broken value gets to the end of that, and then nothing more is found.
class Finder {
 public:
  static constexpr std::size_t kMaxReadings = 16;

  explicit Finder(std::string_view text);

  /// The value that begins at `from`, behind white space; missing when none does.
  Value value_at(std::size_t from);

  /// The first value at or behind `from` that begins with one of `openings`. Missing when there is
  /// none, and when the text ends within one: what stands in a torn value is a part of it.
  Value first_of(std::string_view openings, std::size_t from);

  /// Where a value that this Finder gave ends in the text.
  std::size_t end_of(const Value& value) const;

  /// Did the text end within the value that was looked at last?
  bool is_torn() const { return is_torn_; }

  /// How many bytes were read by now, those read again too.
  std::size_t bytes_read() const { return bytes_read_; }

 private:
  std::string_view text_;
  Document document_;
  std::size_t most_ = 0;
  std::size_t bytes_read_ = 0;
  bool is_torn_ = false;
};

}  // namespace spoor::json
