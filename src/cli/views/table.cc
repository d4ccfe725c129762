#include "cli/views/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/terminal/width.h"

namespace spoor::cli {
namespace {

constexpr int kGap = 2;
constexpr int kShortest = 8;  // A name is not cut to less.

std::vector<int> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  return widths;
}

// Makes the widest of the first columns narrower until all fit.
void fit(std::vector<int>& widths, std::size_t names, int columns) {
  const int gaps = kGap * (static_cast<int>(widths.size()) - 1);
  int excess = std::accumulate(widths.begin(), widths.end(), gaps) - columns;
  while (excess > 0 && names > 0) {
    const auto widest =
        std::max_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(names));
    if (*widest <= kShortest) return;
    --*widest;
    --excess;
  }
}

}  // namespace

std::vector<std::string> table_lines(const Output& out,
                                     const std::vector<std::vector<std::string>>& rows,
                                     std::size_t names) {
  std::vector<int> widths = widths_of(rows);
  if (out.is_tty()) fit(widths, names, out.width());
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& text = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = i < names ? truncated(row[i], widths[i]) : row[i];
      const std::string gap(static_cast<std::size_t>(widths[i] - display_width(cell)), ' ');
      if (i > 0) text.append(kGap, ' ');
      text += i < names ? cell + gap : gap + cell;
    }
    text.resize(text.find_last_not_of(' ') + 1);
  }
  return lines;
}

void print_table(Output& out, const std::vector<std::vector<std::string>>& rows,
                 std::size_t names) {
  Style style = Style::strong;
  for (const std::string& line : table_lines(out, rows, names)) {
    out.print(std::exchange(style, Style::plain), line).newline();
  }
}

}  // namespace spoor::cli
