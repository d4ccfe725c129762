#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// Columns one character takes: 0, 1 or 2.
int column_width(char32_t code);

/// Columns of `text`, which must be visible() already. A byte that is no UTF-8
/// counts as one.
int display_width(std::string_view text);

/// The front of `text` that fits into `columns`, with `…` as its last character
/// where something was cut off. `columns` is at least 1.
std::string truncated(std::string_view text, int columns);

/// `text` and blanks up to `columns`; longer text stays as it is.
std::string padded(std::string_view text, int columns);

/// Lines of at most `columns`, broken at blanks where there are any; line ends of
/// `text` stay line ends. No line keeps the blank it was broken at.
std::vector<std::string_view> wrapped(std::string_view text, int columns);

}  // namespace spoor::cli
