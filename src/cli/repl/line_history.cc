#include "cli/repl/line_history.h"

#include "base/files.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {
namespace {

constexpr unsigned kOwnerOnly = 0600;

}  // namespace

std::string escaped_line(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped_line(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape) ++i;
    out += is_escape && text[i] == 'n' ? '\n' : text[i];
  }
  return out;
}

Result<void> LineHistory::load() {
  if (path_.empty()) return {};
  const auto text = TRY(read_file(path_));
  if (!text) return {};
  for_each_line(*text, [&](std::string_view line) { lines_.push_back(unescaped_line(line)); });
  if (lines_.size() <= kMostLines) return {};

  const bool has_grown = lines_.size() >= 2 * kMostLines;
  lines_.erase(lines_.begin(), lines_.end() - kMostLines);
  if (!has_grown) return {};
  std::string kept;
  for (const std::string& line : lines_) kept += escaped_line(line) + "\n";
  return write_file(path_, kept, kOwnerOnly);
}

Result<bool> LineHistory::add(std::string_view line) {
  if (line.find_first_not_of(" \t\n") == std::string_view::npos) return false;
  if (line.front() == ' ' || line.front() == '\t') return false;
  if (!lines_.empty() && lines_.back() == line) return false;
  lines_.emplace_back(line);
  if (!path_.empty()) TRY(append_file(path_, escaped_line(line) + "\n", kOwnerOnly));
  return true;
}

}  // namespace spoor::cli
