#include "cli/terminal/width.h"

#include <algorithm>

#include "base/column_width.h"
#include "base/utf8.h"

namespace spoor::cli {
namespace {

// Bytes at the front of `text` that fit into `columns`.
std::size_t bytes_within(std::string_view text, int columns) {
  std::size_t used = 0;
  while (used < text.size()) {
    const CodePoint next = decode_utf8(text.substr(used));
    columns -= next.valid ? column_width(next.code) : 1;
    if (columns < 0) break;
    used += next.length;
  }
  return used;
}

}  // namespace

int display_width(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    columns += next.valid ? column_width(next.code) : 1;
    text.remove_prefix(next.length);
  }
  return columns;
}

std::string_view fitting(std::string_view text, int columns) {
  if (text.empty()) return text;
  return text.substr(0, std::max(bytes_within(text, columns), decode_utf8(text).length));
}

std::string truncated(std::string_view text, int columns) {
  const std::size_t fits = bytes_within(text, columns);
  if (fits == text.size()) return std::string(text);
  return std::string(text.substr(0, bytes_within(text, columns - 1))) + "…";
}

std::string padded(std::string_view text, int columns) {
  std::string out(text);
  const int missing = columns - display_width(text);
  if (missing > 0) out.append(static_cast<std::size_t>(missing), ' ');
  return out;
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<std::string_view> wrapped(std::string_view text, int columns) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (true) {
      const std::size_t fits = fitting(line, columns).size();
      if (fits >= line.size()) break;
      const std::size_t blank = line.find_last_of(' ', fits);
      const bool breaks =
          blank != std::string_view::npos && blank > 0 && line.find_first_not_of(' ') < blank;
      if (!breaks) {
        lines.push_back(line.substr(0, fits));
        line.remove_prefix(fits);
        continue;
      }
      lines.push_back(line.substr(0, blank));
      line.remove_prefix(blank + 1);
    }
    lines.push_back(line);
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace spoor::cli
