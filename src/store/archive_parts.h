#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

// An archive of format 3 is a head, which is lines; parts, each a compressed text with a hash of
// its own; and a last line (docs/format.md). Here are its bytes, whatever they mean.

/// Takes the next bytes. An error ends the writing.
using ByteSink = std::function<Result<void>(std::string_view)>;

/// Fills the front of the buffer and returns the number of bytes; 0 at the end.
using ByteSource = std::function<Result<std::size_t>(std::span<char>)>;

constexpr std::size_t kPartText = 8U << 20U;    ///< the most text of several objects in one part
constexpr std::size_t kMaxBody = 64U << 20U;    ///< the largest body of an object
constexpr std::size_t kMaxHead = 64U << 20U;    ///< the longest head
constexpr std::size_t kMaxArchiveLine = 1'024;  ///< the longest line, with its LF

/// Returns the error for an archive that is not as it was written.
Error damaged_archive(std::string_view what);

/// Writes an archive's pieces. Calls the sink once for the head, once for each part, and once for
/// the last line.
class PartWriter {
 public:
  /// `sink` must outlive it.
  explicit PartWriter(const ByteSink& sink) : sink_(sink) {}

  /// Writes the head. Call it once, first.
  Result<void> begin(std::string_view head);

  /// Adds an object's line and body to the current part, or begins the next.
  Result<void> add(std::string_view line, std::string_view body);

  /// Writes what is left, and the last line.
  Result<void> finish();

 private:
  Result<void> flush();

  const ByteSink& sink_;
  std::string text_;  // The current part's.
  Oid chain_;
};

/// Input of lines and of bytes.
class LineInput {
 public:
  /// `source` must outlive it.
  explicit LineInput(const ByteSource& source) : source_(source) {}

  /// Returns the next line, with its LF, without moving past it. Valid until the next call.
  /// Code::corrupt if there is none, or it is longer than kMaxArchiveLine.
  Result<std::string_view> peek_line();

  Result<std::string> line();
  Result<std::string> bytes(std::size_t count);
  Result<bool> is_at_end();

 private:
  Result<bool> more();

  const ByteSource& source_;
  std::string buffer_;
  std::size_t at_ = 0;
};

/// Reads the parts of an archive, and verifies their hashes before anything of them is used.
class PartReader {
 public:
  /// `input` must outlive it. `chain` is that of all before its next piece: chain_of_head(), or a
  /// later one.
  PartReader(LineInput& input, const Oid& chain) : input_(input), chain_(chain) {}

  /// Returns the bytes of the next piece as they are in the archive; the last line is one. nullopt
  /// after that.
  Result<std::optional<std::string>> next();

  /// Returns whether the last line was read.
  bool is_ended() const { return is_ended_; }

  /// The hash of all that was read: the name of this beginning of the archive.
  const Oid& chain() const { return chain_; }

 private:
  LineInput& input_;
  Oid chain_;
  bool is_ended_ = false;
};

/// Reads the lines before the first part.
Result<std::string> read_head_text(LineInput& input);

/// Returns the text of a piece that PartReader::next() returned; empty for the last line.
Result<std::string> text_of_part(std::string_view piece);

/// Returns the chain() before the first piece. `head` is with the line of the format.
Oid chain_of_head(std::string_view head);

/// Returns the chain() after a piece that follows the chain `before`.
Oid chain_after(const Oid& before, std::string_view piece);

}  // namespace spoor::store
