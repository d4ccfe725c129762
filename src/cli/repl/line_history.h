#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/error.h"

namespace spoor::cli {

/// The lines typed before, oldest first, across sessions. Skips a line that begins with a blank or
/// equals the line before it.
///
/// The file is the user's own (0600): one line per input, in which line ends and backslashes are
/// written as \n and \\. Each line is appended when it is typed, so several sessions may share the
/// file. If the file has twice kMostLines lines when it is read, it is cut to the newest
/// kMostLines.
class LineHistory {
 public:
  static constexpr std::size_t kMostLines = 2000;

  /// Without a path the history ends with the session.
  explicit LineHistory(std::string path = {}) : path_(std::move(path)) {}

  /// Reads the lines of earlier sessions. Returns Code::io; later lines are recorded even then.
  Result<void> load();

  /// Adds a line, here and to the file, unless the rules above skip it. Returns true if it was
  /// added, Code::io if the file cannot be written.
  Result<bool> add(std::string_view line);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string path_;
  std::vector<std::string> lines_;
};

/// Convert between an input and its line in the file, without the line end.
std::string escaped_line(std::string_view line);
std::string unescaped_line(std::string_view text);

}  // namespace spoor::cli
