#pragma once

#include <string_view>

namespace spoor::cli {

/// Returns the row, counted from the prompt's row, of the position after `text` on a terminal with
/// this number of columns. `text` follows a prompt of `prompt_columns`. The layout is the editor's:
/// line ends begin a row, a full row continues on the next one, control characters take two
/// columns.
int row_behind(int prompt_columns, std::wstring_view text, int columns);

}  // namespace spoor::cli
