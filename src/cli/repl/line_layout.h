#pragma once

#include <string_view>

namespace spoor::cli {

/// The row, counted from the prompt's own, on which a terminal of so many columns
/// shows the place behind `text`, which follows `prompt_columns` of prompt. As the
/// editor draws it: line ends begin a row, a full row goes on in the next one, control
/// characters take two columns.
int row_behind(int prompt_columns, std::wstring_view text, int columns);

}  // namespace spoor::cli
