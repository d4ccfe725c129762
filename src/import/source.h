#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/read_limits.h"
#include "base/result.h"

namespace spoor::import {

/// Bytes that are read once, from front to back: a session file, or a text in a
/// test. For one thread.
class Source {
 public:
  virtual ~Source() = default;

  /// What messages call it; never stored.
  virtual const std::string& name() const = 0;

  /// Bytes in all, where that is known: for progress.
  virtual std::optional<std::uint64_t> size() const = 0;

  /// Fills up to `room` bytes at `to` and says how many; 0 at the end. Code::io.
  virtual Result<std::size_t> read(char* to, std::size_t room) = 0;
};

/// Opens a regular file. Code::not_found, or Code::io when it cannot be read.
Result<std::unique_ptr<Source>> open_file(const std::string& path);

/// The first `size` bytes, or all there are.
Result<std::string> read_head(Source& source, std::size_t size);

/// A source of which `head` was read already, from the front. Both are borrowed.
class ResumedSource final : public Source {
 public:
  ResumedSource(Source& rest, std::string_view head) : rest_(rest), head_(head) {}

  const std::string& name() const override { return rest_.name(); }
  std::optional<std::uint64_t> size() const override { return rest_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;

 private:
  Source& rest_;
  std::string_view head_;
};

/// A text that is already here. `text` is borrowed.
class TextSource final : public Source {
 public:
  TextSource(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  /// A string that is about to go cannot be read.
  template <std::same_as<std::string> Text>
  TextSource(std::string name, Text&& text) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return text_.size(); }
  Result<std::size_t> read(char* to, std::size_t room) override;

 private:
  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The session files that `path` stands for: itself, or every `.jsonl`, `.json`, `.traj` and
/// `.eval` file and every `.aider.chat.history.md` in the folder and below, in the order of their
/// paths' bytes. Links to folders are not followed. Code::not_found when there is nothing at
/// `path`, or no session file in the folder; Code::io.
/// Folders below it that may not be read go to `unreadable`, if that is not null.
Result<std::vector<std::string>> session_files(const std::string& path,
                                               std::vector<std::string>* unreadable = nullptr);

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
  explicit LineReader(Source& source, std::uint64_t most = kMostLineBytes)
      : source_(source), most_(most) {}

  /// The next line; nothing at the end. A source that ends with LF has no empty
  /// line behind it. Code::io as the source says.
  Result<std::optional<Line>> next();

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
