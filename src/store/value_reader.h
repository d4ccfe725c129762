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

/// Reads typed values from the lines of strict text, so that a parser reads like the list of its
/// keys. Records the first malformed value for problem(); values returned after it are meaningless.
/// `body` must outlive the reader.
class ValueReader {
 public:
  explicit ValueReader(std::string_view body) : lines_(body) {}

  /// Returns the value of the next line if it has this key.
  std::optional<Oid> oid(std::string_view key);
  std::optional<Timestamp> time(std::string_view key);
  std::optional<std::string_view> view(std::string_view key) { return lines_.take(key); }
  std::string text(std::string_view key) { return std::string(view(key).value_or("")); }

  /// Returns the values of all following lines that have this key.
  std::vector<Oid> oids(std::string_view key);

  /// Returns the value of a required line.
  Oid needed_oid(std::string_view key);
  std::uint64_t needed_integer(std::string_view key);
  Timestamp needed_time(std::string_view key);

  /// Records that the line's value is malformed or missing.
  void fail(std::string_view key);

  /// Returns the problem of the text; empty if every line was read and is valid.
  std::string problem() const;

 private:
  LineReader lines_;
  std::string bad_;
};

}  // namespace spoor::store
