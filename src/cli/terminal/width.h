#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli {

/// Returns the columns of `text`, which must be visible() already. A byte that is not UTF-8 counts
/// as one.
int display_width(std::string_view text);

/// Returns the front of `text` that fits into `columns`; at least one character, if it has any.
std::string_view fitting(std::string_view text, int columns);

/// Returns the front of `text` that fits into `columns`, at least 1, with `…` as its last character
/// if the rest was cut off.
std::string truncated(std::string_view text, int columns);

/// Returns `text` with blanks up to `columns`; longer text unchanged.
std::string padded(std::string_view text, int columns);

/// Returns `text` so many times in a row.
std::string repeated(std::string_view text, int times);

/// Returns lines of at most `columns`, broken at blanks if there are any and at the line ends of
/// `text`. The blank at a break is removed.
std::vector<std::string_view> wrapped(std::string_view text, int columns);

}  // namespace spoor::cli
