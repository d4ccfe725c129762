#include "cli/views/match_lines.h"

#include <algorithm>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"

namespace spoor::cli {
namespace {

constexpr std::size_t kLongestLine = 4096;

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Advances `at` to the start of a character.
std::size_t character_from(std::string_view text, std::size_t at) {
  while (at < text.size() && continues_a_character(text[at])) ++at;
  return std::min(at, text.size());
}

// The visible part of a line: all of it, or a number of bytes around a match.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Window window_around(std::string_view line, const Match& match, std::size_t room) {
  if (line.size() <= room) return {0, line.size()};
  const std::size_t spare = room > match.size ? room - match.size : 0;
  const std::size_t before = std::min(match.begin, spare / 2);
  std::size_t begin = std::min(match.begin - before, line.size() - room);
  begin = character_from(line, begin);
  return {begin, character_from(line, std::min(begin + room, line.size()))};
}

// `matches` are relative to the line.
void print_line(Output& out, Style style, std::string_view line, const std::vector<Match>& matches,
                std::string_view indent) {
  std::size_t room = kLongestLine;
  if (out.is_tty()) {
    const int columns = out.width() - display_width(indent) - 2;  // One for each ellipsis.
    room = static_cast<std::size_t>(std::max(columns, 8));
  }
  const Window window = window_around(line, matches.front(), room);
  out.print(indent);
  if (window.begin > 0) out.print(Style::muted, "…");
  std::size_t at = window.begin;
  for (const Match& match : matches) {
    const std::size_t begin = std::clamp(match.begin, at, window.end);
    const std::size_t end = std::clamp(match.begin + match.size, begin, window.end);
    out.print(style, line.substr(at, begin - at));
    out.print(Style::match, line.substr(begin, end - begin));
    at = end;
  }
  out.print(style, line.substr(at, window.end - at));
  if (window.end < line.size()) out.print(Style::muted, "…");
  out.newline();
}

}  // namespace

void print_match_lines(Output& out, Style style, std::string_view text,
                       const std::vector<Match>& matches, std::string_view indent,
                       std::size_t limit) {
  std::size_t shown = 0;
  std::uint64_t more = 0;
  auto next = matches.begin();
  std::size_t begin = 0;
  while (begin < text.size() && next != matches.end()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::vector<Match> here;
    while (next != matches.end() && next->begin <= end) {
      // A match that continues beyond the line's end is also in the next lines.
      const std::size_t from = std::max(next->begin, begin);
      const std::size_t to = std::min(next->begin + next->size, end);
      if (to > from) here.push_back({from - begin, to - from});
      if (next->begin + next->size > end + 1) break;
      ++next;
    }
    if (!here.empty()) {
      if (shown < limit) {
        print_line(out, style, text.substr(begin, end - begin), here, indent);
        ++shown;
      } else {
        ++more;
      }
    }
    begin = end + 1;
  }
  if (more > 0) out.print(indent).print(Style::muted, "… " + counted(more, "more line")).newline();
}

}  // namespace spoor::cli
