#include "agent/builtin/patch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kShownPlaces = 5;

// A line without its end.
struct Line {
  std::string_view text;
  std::string_view end;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    std::size_t bare = newline == std::string_view::npos ? size : newline;
    if (bare > 0 && text[bare - 1] == '\r' && bare < size) --bare;
    lines.push_back({text.substr(0, bare), text.substr(bare, size - bare)});
    text.remove_prefix(size);
  }
  return lines;
}

struct Hunk {
  struct Part {
    char kind;  // ' ', '-' or '+'
    std::string_view text;
  };
  std::optional<std::size_t> line;  // In the old text, from 1.
  std::vector<Part> parts;

  std::size_t old_size() const {
    return static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [](const Part& part) { return part.kind != '+'; }));
  }
};

// Reads the line number of `@@ -12,3 +12,4 @@`.
std::optional<std::size_t> number_of(std::string_view header) {
  const std::size_t minus = header.find('-');
  if (minus == std::string_view::npos) return std::nullopt;
  std::size_t number = 0;
  const char* const begin = header.data() + minus + 1;
  const auto read = std::from_chars(begin, header.data() + header.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

Result<std::vector<Hunk>> read_hunks(std::string_view patch) {
  std::vector<Hunk> hunks;
  for (const Line& line : lines_of(patch)) {
    const std::string_view text = line.text;
    if (text.starts_with("@@")) {
      hunks.push_back({number_of(text), {}});
    } else if (hunks.empty() || text.starts_with("\\") || text.starts_with("***")) {
      continue;  // Names of files, or "\ No newline at end of file".
    } else if (text.empty()) {
      hunks.back().parts.push_back({' ', text});  // A blank line that lost its blank.
    } else if (text.front() == ' ' || text.front() == '-' || text.front() == '+') {
      hunks.back().parts.push_back({text.front(), text.substr(1)});
    } else {
      return invalid(fmt::format("the line '{}' of the patch begins with none of ' ', '-' and '+'",
                                 text.substr(0, 80)));
    }
  }
  for (Hunk& hunk : hunks) {  // A patch often ends with an empty line of its own.
    while (!hunk.parts.empty() && hunk.parts.back().kind == ' ' && hunk.parts.back().text.empty()) {
      hunk.parts.pop_back();
    }
  }
  std::erase_if(hunks, [](const Hunk& hunk) { return hunk.parts.empty(); });
  if (hunks.empty()) return invalid("the patch has no hunk", "a hunk begins with a line '@@ … @@'");
  return hunks;
}

bool fits(const Hunk& hunk, const std::vector<Line>& lines, std::size_t at) {
  for (const Hunk::Part& part : hunk.parts) {
    if (part.kind == '+') continue;
    if (at >= lines.size() || lines[at].text != part.text) return false;
    ++at;
  }
  return true;
}

Result<std::size_t> place_of(const Hunk& hunk, std::size_t number, const std::vector<Line>& lines,
                             std::size_t from) {
  const std::size_t size = hunk.old_size();
  if (size == 0) {
    if (hunk.line && *hunk.line >= from && *hunk.line <= lines.size()) return *hunk.line;
    if (lines.empty()) return std::size_t{0};
    return ambiguous(fmt::format("hunk {} only adds lines, and does not say where", number),
                     "give a line before or after them");
  }
  if (hunk.line && *hunk.line > from && fits(hunk, lines, *hunk.line - 1)) return *hunk.line - 1;
  std::vector<std::size_t> places;
  for (std::size_t at = from; at + size <= lines.size(); ++at) {
    if (fits(hunk, lines, at)) places.push_back(at);
  }
  if (places.size() == 1) return places.front();
  if (places.empty()) {
    return not_found(fmt::format("hunk {} does not fit: its lines are not in the file{}", number,
                                 from > 0 ? " after the hunk before" : ""),
                     "read the file again; kept and removed lines must be exact");
  }
  std::string shown;
  for (std::size_t i = 0; i < std::min(places.size(), kShownPlaces); ++i) {
    shown += fmt::format("{}{}", i == 0 ? "" : ", ", places[i] + 1);
  }
  return ambiguous(fmt::format("hunk {} fits at several lines: {}", number, shown),
                   "give more of what is around it");
}

}  // namespace

Result<Patched> apply_patch(std::string_view text, std::string_view patch) {
  const std::vector<Hunk> hunks = TRY(read_hunks(patch));
  const std::vector<Line> lines = lines_of(text);
  const std::string_view end =
      lines.empty() || lines.front().end.empty() ? "\n" : lines.front().end;
  Patched patched;
  std::size_t next = 0;  // The first line that is not written yet.
  const auto write = [&](const Line& line) {
    patched.text += line.text;
    patched.text += line.end;
  };
  for (const Hunk& hunk : hunks) {
    const std::size_t at = TRY(place_of(hunk, ++patched.hunks, lines, next));
    const bool is_there = hunk.line && (at + 1 == *hunk.line || hunk.old_size() == 0);
    if (hunk.line && !is_there) ++patched.moved;
    while (next < at) write(lines[next++]);
    for (const Hunk::Part& part : hunk.parts) {
      if (part.kind == '+') {
        if (!patched.text.empty() && patched.text.back() != '\n') patched.text += end;
        write({part.text, end});
      } else if (part.kind == ' ') {
        write(lines[next++]);
      } else {
        ++next;
      }
    }
  }
  while (next < lines.size()) write(lines[next++]);
  // A text without a last line end keeps none.
  const bool ends_bare = !lines.empty() && lines.back().end.empty();
  if (ends_bare && patched.text.ends_with(end))
    patched.text.resize(patched.text.size() - end.size());
  return patched;
}

}  // namespace spoor::agent::builtin
