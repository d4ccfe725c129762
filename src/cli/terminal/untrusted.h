#pragma once

#include <string>
#include <string_view>

#include "base/hidden_text.h"

namespace spoor::cli {

/// Appends `text` so that a terminal shows all of it and interprets none of it. Control characters
/// except LF and TAB, and characters that are hidden or reorder their line (base/hidden_text.h),
/// become visible escapes (`\x1b`, `<U+202E>`, `<U+E0041>`); a byte that is not UTF-8 becomes
/// U+FFFD. Output does this for all text from a store.
void append_visible(std::string& out, std::string_view text);

/// Like append_visible(), for one part of a large text: reads about `most` bytes from the front of
/// `text`, and returns how many it read. `hidden` carries the state to the next part.
std::size_t append_visible_part(std::string& out, std::string_view text, std::size_t most,
                                HiddenText& hidden);

/// Returns append_visible() in a new string.
std::string visible(std::string_view text);

/// Like visible(), on one line: line ends and tabs become blanks, and runs of blanks one blank.
/// Reads at most `limit` bytes of `text`.
std::string visible_line(std::string_view text, std::size_t limit = 4096);

}  // namespace spoor::cli
