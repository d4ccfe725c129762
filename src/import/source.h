#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/read_limits.h"
#include "base/result.h"

namespace spoor::import {

/// Bytes that are read once, from front to back: a session file, or a text in a test. For one
/// thread.
class Source {
 public:
  virtual ~Source() = default;

  /// Returns the name for messages; it is never stored.
  virtual const std::string& name() const = 0;

  /// Returns the path of the file that this is, for a format that is not read from front to back;
  /// empty: it is not a file.
  virtual std::string path() const { return {}; }

  /// Returns the total bytes, if known. Used for progress.
  virtual std::optional<std::uint64_t> size() const = 0;

  /// Reads up to `room` bytes to `to` and returns their number; 0 at the end. Code::io.
  virtual Result<std::size_t> read(char* to, std::size_t room) = 0;

  /// Returns all that was not read yet if it is in memory, where it stays; else nullopt.
  virtual std::optional<std::string_view> rest() const { return std::nullopt; }
};

/// Opens a regular file. Returns Code::not_found, or Code::io if it cannot be read.
Result<std::unique_ptr<Source>> open_file(const std::string& path);

/// Reads the first `size` bytes, or all if there are fewer.
Result<std::string> read_head(Source& source, std::size_t size);

/// A source whose first bytes, `head`, were already read. Borrows both arguments.
class ResumedSource final : public Source {
 public:
  ResumedSource(Source& rest, std::string_view head) : rest_(rest), head_(head) {}

  const std::string& name() const override { return rest_.name(); }
  std::string path() const override { return rest_.path(); }
  std::optional<std::uint64_t> size() const override { return rest_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;

 private:
  Source& rest_;
  std::string_view head_;
};

/// A text in memory. Borrows `text`.
class TextSource final : public Source {
 public:
  TextSource(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  /// Deleted: a temporary string would not live long enough.
  template <std::same_as<std::string> Text>
  TextSource(std::string name, Text&& text) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return text_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;
  std::optional<std::string_view> rest() const override { return text_.substr(at_); }

 private:
  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Whether a file may be one of a session, by its name.
bool may_be_session(const std::filesystem::path& path);

/// Returns the session files of `path`: itself, or every `.jsonl`, `.json`, `.traj` and `.eval`
/// file, every `.aider.chat.history.md` and every database of OpenCode (`opencode*.db`) in the
/// folder and its subfolders, sorted by the bytes of their paths. Links to folders are not
/// followed. Returns Code::not_found if `path` does not exist or its folder has no session file;
/// Code::io. Subfolders that may not be read are appended to `unreadable`, unless that is null.
Result<std::vector<std::string>> session_files(const std::string& path,
                                               std::vector<std::string>* unreadable = nullptr);

/// One line of a source. `text` is valid until the next call of next().
struct Line {
  std::string_view text;      ///< without its LF
  std::uint64_t number = 0;   ///< 1, 2, 3, …
  bool ended = false;         ///< an LF follows; false on a last line that may be cut off
  std::uint64_t dropped = 0;  ///< bytes of a line that is too long to read; else 0
};

/// Splits a source into lines. Holds one line and one block of the file in memory. A line of more
/// than `most` bytes is returned without its text.
class LineReader {
 public:
  explicit LineReader(Source& source, std::uint64_t most = kMostLineBytes)
      : source_(source),
        bytes_(source.rest().value_or(std::string_view())),
        most_(most),
        at_end_(source.rest().has_value()) {}

  /// Returns the next line; nullopt at the end. The LF at the end of a source does not begin
  /// another, empty line. Returns the source's Code::io.
  Result<std::optional<Line>> next();

  /// Returns the bytes of all lines returned so far.
  std::uint64_t bytes_done() const { return bytes_done_; }

 private:
  Result<bool> fill();
  Line take(std::size_t end, bool ended);

  Source& source_;
  std::string buffer_;
  std::string_view bytes_;   // Of buffer_, or of a source that is in memory.
  std::size_t begin_ = 0;    // The start of the data not returned yet.
  std::size_t scanned_ = 0;  // There is no LF between begin_ and here.
  const std::uint64_t most_;
  std::uint64_t dropped_ = 0;  // Bytes of a line that is too long, before begin_.
  bool at_end_;
  std::uint64_t number_ = 0;
  std::uint64_t bytes_done_ = 0;
};

}  // namespace spoor::import
