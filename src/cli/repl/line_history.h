#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/error.h"

namespace spoor::cli {

/// The lines typed before, oldest first, across sessions. A line that begins with
/// a blank is never kept, nor is one equal to the line before it.
///
/// The file is the user's own (0600): one line an input, line ends and backslashes
/// in it written as \n and \\. Each line is appended when it is typed, so several
/// sessions may share the file; it is cut to the newest kMostLines when it is read
/// and has grown to twice that.
class LineHistory {
 public:
  static constexpr std::size_t kMostLines = 2000;

  /// Without a path nothing outlives the session.
  explicit LineHistory(std::string path = {}) : path_(std::move(path)) {}

  /// Reads what earlier sessions left. Code::io; the lines typed from now on are
  /// kept all the same.
  Result<void> load();

  /// Keeps a line, here and in the file, unless the rules say otherwise; tells
  /// whether it was kept. Code::io when the file cannot be written.
  Result<bool> add(std::string_view line);

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string path_;
  std::vector<std::string> lines_;
};

/// One line of the file, without its end, and back.
std::string escaped_line(std::string_view line);
std::string unescaped_line(std::string_view text);

}  // namespace spoor::cli
