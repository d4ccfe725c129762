#include "cli/repl/line_layout.h"

#include "base/column_width.h"
#include "base/utf8.h"

namespace spoor::cli {
namespace {

constexpr int kTab = 8;

int columns_of(wchar_t c, int column) {
  if (c == L'\t') return kTab - column % kTab;
  if (is_control(static_cast<char32_t>(c))) return 2;
  return column_width(static_cast<char32_t>(c));
}

}  // namespace

int row_behind(int prompt_columns, std::wstring_view text, int columns) {
  int row = prompt_columns / columns;
  int column = prompt_columns % columns;
  for (const wchar_t c : text) {
    if (c == L'\n') {
      ++row;
      column = 0;
      continue;
    }
    const int width = columns_of(c, column);
    if (column + width > columns) {  // A wide character does not fit the last column.
      ++row;
      column = 0;
    }
    column += width;
    if (column >= columns) {
      ++row;
      column = 0;
    }
  }
  return row;
}

}  // namespace spoor::cli
