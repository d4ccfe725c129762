#include "cli/tui/text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/terminal/width.h"

namespace spoor::cli::tui {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kTab = 8;

// Returns the length of the sequence at the front of `text`, which begins with ESC, and its SGR
// parameters, if it is one.
std::pair<std::size_t, std::optional<std::string_view>> sequence(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return {1, std::nullopt};
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  if (end == std::string_view::npos) return {text.size(), std::nullopt};
  if (text[end] != 'm') return {end + 1, std::nullopt};
  return {end + 1, text.substr(2, end - 2)};
}

}  // namespace

Text::Text(std::string_view printed) {
  std::size_t line = 0;  // Where the last line begins.
  while (!printed.empty()) {
    const std::size_t plain = std::min(printed.find_first_of("\x1b\t\n"), printed.size());
    text_ += printed.substr(0, plain);
    printed.remove_prefix(plain);
    if (printed.empty()) break;
    if (printed.front() == kEscape) {
      const auto [length, parameters] = sequence(printed);
      if (parameters) looks_.emplace_back(text_.size(), look_of(*parameters));
      printed.remove_prefix(length);
      continue;
    }
    if (printed.front() == '\t') {
      const auto column =
          static_cast<std::size_t>(display_width(std::string_view(text_).substr(line)));
      text_.append(kTab - column % kTab, ' ');
    } else {
      text_ += '\n';
      line = text_.size();
    }
    printed.remove_prefix(1);
  }
}

void Text::lay_out(int columns) {
  rows_.clear();
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    add_rows(begin, end, std::max(columns, 1));
    begin = end + 1;
  }
}

void Text::add_rows(std::size_t begin, std::size_t end, int columns) {
  const std::string_view line = std::string_view(text_).substr(begin, end - begin);
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  // A wide character has to fit behind it.
  const int indent = columns < 4 ? 0 : std::min(static_cast<int>(blanks), columns / 2);
  const std::string_view first = fitting(line, columns);
  if (first.size() == line.size()) {
    rows_.push_back({begin, end, 0});
    return;
  }
  // The first row has the indentation of the line in it, the others have it before them.
  std::string_view rest = line;
  bool is_first = true;
  while (true) {
    const int room = is_first ? columns : columns - indent;
    std::string_view row = fitting(rest, room);
    std::size_t next = row.size();
    if (next < rest.size() && rest[next] != ' ') {
      const std::size_t blank = row.find_last_of(' ');
      const std::size_t word = is_first ? blanks : 0;
      if (blank != std::string_view::npos && blank > word) row = rest.substr(0, next = blank);
    }
    const auto offset = static_cast<std::size_t>(rest.data() - text_.data());
    rows_.push_back({offset, offset + row.size(), is_first ? 0 : indent});
    if (next >= rest.size()) return;
    rest.remove_prefix(rest[next] == ' ' ? next + 1 : next);
    if (rest.empty()) return;
    is_first = false;
  }
}

Line Text::row(std::size_t index) const {
  const Row& row = rows_[index];
  Line line;
  if (row.indent > 0) line.push_back({std::string(static_cast<std::size_t>(row.indent), ' '), {}});
  const auto after = [](std::size_t at, const auto& look) { return at < look.first; };
  auto look = std::upper_bound(looks_.begin(), looks_.end(), row.begin, after);
  std::size_t begin = row.begin;
  while (begin < row.end) {
    const std::size_t end = look == looks_.end() ? row.end : std::min(look->first, row.end);
    if (end > begin) {
      line.push_back({text_.substr(begin, end - begin),
                      look == looks_.begin() ? Look{} : std::prev(look)->second});
    }
    begin = end;
    if (look != looks_.end()) ++look;
  }
  return line;
}

std::optional<std::size_t> Text::find(std::string_view needle, std::size_t from,
                                      bool forward) const {
  for (std::size_t i = from; i < rows_.size(); forward ? ++i : --i) {
    if (contains(std::string_view(text_).substr(rows_[i].begin, rows_[i].end - rows_[i].begin),
                 needle)) {
      return i;
    }
  }
  return std::nullopt;
}

bool contains(std::string_view text, std::string_view needle) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::ranges::any_of(needle, is_capital)) return text.find(needle) != std::string_view::npos;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), needle.begin(), needle.end(), same) != text.end() ||
         needle.empty();
}

}  // namespace spoor::cli::tui
