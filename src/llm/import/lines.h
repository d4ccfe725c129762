#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llm/import/source.h"

namespace spoor::llm::import {

/// One line of a source. `text` lives until the next call of next().
struct Line {
  std::string_view text;     ///< without its LF
  std::uint64_t number = 0;  ///< 1, 2, 3, …
  bool ended = false;        ///< there was an LF; false on a last line that may be cut off
};

/// Cuts a source into lines. Holds one line at a time, however long, and no more
/// of the file than that and one block.
class LineReader {
 public:
  explicit LineReader(Source& source) : source_(source) {}

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

  Source& source_;
  std::string buffer_;
  std::size_t begin_ = 0;    // Of what was not handed out yet.
  std::size_t scanned_ = 0;  // There is no LF between begin_ and here.
  bool at_end_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t bytes_done_ = 0;
};

}  // namespace spoor::llm::import
