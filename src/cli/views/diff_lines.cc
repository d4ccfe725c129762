#include "cli/views/diff_lines.h"

#include <algorithm>
#include <string>

namespace spoor::cli {
namespace {

Style style_of_line(std::string_view line) {
  if (line.starts_with('+')) return Style::added;
  if (line.starts_with('-')) return Style::removed;
  if (line.starts_with("@@")) return Style::hunk;
  return Style::plain;
}

}  // namespace

void print_diff_lines(Output& out, std::string_view diff, std::string_view indent) {
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    const std::string_view line = diff.substr(0, end);
    out.print(indent).print(style_of_line(line), line).newline();
    diff.remove_prefix(std::min(end + 1, diff.size()));
  }
}

void print_diff_lines(Output& out, const std::vector<graph::UnifiedLine>& diff,
                      std::string_view indent) {
  std::string text;
  for (const graph::UnifiedLine& line : diff) {
    if (line.kind != '@') text += line.kind;
    text.append(line.text).append("\n");
  }
  print_diff_lines(out, text, indent);
}

}  // namespace spoor::cli
