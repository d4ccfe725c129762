#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "store/lines.h"
#include "store/oid.h"

namespace spoor::store {

/// Reads typed values off the lines of strict text, so that a parser reads like
/// the list of its keys. The first malformed value is remembered for problem();
/// after it, what is handed out means nothing. `body` must outlive the reader.
class ValueReader {
 public:
  explicit ValueReader(std::string_view body) : lines_(body) {}

  /// The value of the next line if it has this key.
  std::optional<Oid> oid(std::string_view key);
  std::optional<Timestamp> time(std::string_view key);
  std::optional<std::string_view> view(std::string_view key) { return lines_.take(key); }
  std::string text(std::string_view key) { return std::string(view(key).value_or("")); }

  /// The values of all next lines that have this key.
  std::vector<Oid> oids(std::string_view key);

  /// The value of a line that must be there.
  Oid needed_oid(std::string_view key);
  std::uint64_t needed_integer(std::string_view key);
  Timestamp needed_time(std::string_view key);

  /// The line's value is malformed, or it is missing.
  void fail(std::string_view key);

  /// What is wrong with the text; empty when every line was read and sound.
  std::string problem() const;

 private:
  LineReader lines_;
  std::string bad_;
};

}  // namespace spoor::store
