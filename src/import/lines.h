#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "import/source.h"
#include "store/budget.h"

namespace spoor::import {

/// One line of a source. `text` lives until the next call of next().
struct Line {
  std::string_view text;     ///< without its LF
  std::uint64_t number = 0;  ///< 1, 2, 3, …
  bool ended = false;        ///< there was an LF; false on a last line that may be cut off
  std::uint64_t dropped =
      0;  ///< over the most bytes that are read: how long it was; `text` is empty
};

/// Cuts a source into lines. Holds one line at a time, and no more of the file than that and one
/// block. A line of more than `most` bytes is handed out without its text.
class LineReader {
 public:
  explicit LineReader(Source& source, std::uint64_t most = store::kMostLineBytes)
      : source_(source), most_(most) {}

  /// The next line; nothing at the end. A source that ends with LF has no empty
  /// line behind it. Code::io as the source says.
  Result<std::optional<Line>> next();

  /// The first bytes of the source, up to `size`, without moving on. Only before
  /// the first next().
  Result<std::string_view> peek(std::size_t size);

  /// Bytes of the lines handed out so far.
  std::uint64_t bytes_done() const { return bytes_done_; }

 private:
  Result<bool> fill();
  Line take(std::size_t end, bool ended);

  Source& source_;
  std::string buffer_;
  std::size_t begin_ = 0;    // Of what was not handed out yet.
  std::size_t scanned_ = 0;  // There is no LF between begin_ and here.
  const std::uint64_t most_;
  std::uint64_t dropped_ = 0;  // Bytes of a line that is too long, before begin_.
  bool at_end_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t bytes_done_ = 0;
};

}  // namespace spoor::import
