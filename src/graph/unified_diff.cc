#include "graph/unified_diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/diff.h"

namespace spoor::graph {
namespace {

using Kind = TextPiece::Kind;

constexpr std::size_t kContext = 3;

char sign_of(Kind kind) { return kind == Kind::same ? ' ' : kind == Kind::removed ? '-' : '+'; }

// A line of the comparison.
struct Line {
  Kind kind;
  std::string_view text;  // Without its end.
  bool has_end;
};

std::vector<Line> lines_of(const std::vector<TextPiece>& pieces) {
  std::vector<Line> lines;
  for (const TextPiece& piece : pieces) {
    std::string_view rest = piece.text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const bool has_end = end != std::string_view::npos;
      lines.push_back({piece.kind, rest.substr(0, has_end ? end : rest.size()), has_end});
      rest.remove_prefix(has_end ? end + 1 : rest.size());
    }
  }
  return lines;
}

// Formats "-3,4": where a hunk begins in one text, and its number of lines there.
std::string range(char sign, std::size_t before, std::size_t count) {
  const std::size_t first = count == 0 ? before : before + 1;
  return count == 1 ? fmt::format("{}{}", sign, first) : fmt::format("{}{},{}", sign, first, count);
}

// Formats a file's name after `---` or `+++`. A tab follows a name with a space, else a reader
// would take the part after the space as a time.
std::string file_name(std::string_view side, std::string_view path) {
  if (path.empty()) return "/dev/null";
  std::string quoted;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  if (quoted != path) return fmt::format("\"{}/{}\"", side, quoted);
  return fmt::format("{}/{}{}", side, path, path.find(' ') == std::string_view::npos ? "" : "\t");
}

}  // namespace

std::vector<UnifiedLine> unified_diff(std::string_view before, std::string_view after) {
  const std::vector<TextPiece> pieces = diff_lines(before, after);
  const std::vector<Line> lines = lines_of(pieces);
  std::vector<bool> changed;
  changed.reserve(lines.size());
  for (const Line& line : lines) changed.push_back(line.kind != Kind::same);
  const std::vector<bool> near = near_changes(changed, kContext);

  std::vector<UnifiedLine> out;
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  for (std::size_t i = 0; i < lines.size();) {
    if (!near[i]) {  // Lines far from a change are in both texts.
      ++old_line, ++new_line, ++i;
      continue;
    }
    const std::size_t header = out.size();
    const std::size_t old_first = old_line;
    const std::size_t new_first = new_line;
    out.push_back({'@', {}});
    for (; i < lines.size() && near[i]; ++i) {
      out.push_back({sign_of(lines[i].kind), std::string(lines[i].text)});
      if (!lines[i].has_end) out.push_back({'\\', " No newline at end of file"});
      if (lines[i].kind != Kind::added) ++old_line;
      if (lines[i].kind != Kind::removed) ++new_line;
    }
    out[header].text = fmt::format("@ {} {} @@", range('-', old_first, old_line - old_first),
                                   range('+', new_first, new_line - new_first));
  }
  return out;
}

std::string unified_text(std::string_view path_before, std::string_view path_after,
                         const std::vector<UnifiedLine>& lines) {
  if (lines.empty()) return {};
  std::string text =
      fmt::format("--- {}\n+++ {}\n", file_name("a", path_before), file_name("b", path_after));
  for (const UnifiedLine& line : lines) {
    text += line.kind;
    text += line.text;
    text += '\n';
  }
  return text;
}

std::vector<bool> near_changes(const std::vector<bool>& changed, std::size_t context) {
  std::vector<bool> near(changed.size(), false);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (!changed[i]) continue;
    const std::size_t first = i < context ? 0 : i - context;
    const std::size_t end = std::min(i + context + 1, changed.size());
    for (std::size_t j = first; j < end; ++j) near[j] = true;
  }
  return near;
}

}  // namespace spoor::graph
