#pragma once

#include <string>
#include <string_view>

#include "base/hidden_text.h"

namespace spoor::cli {

/// Appends `text` so that a terminal only shows it, and all of it: every control character but
/// LF and TAB, and every character that is hidden or reorders the line it stands on
/// (store/hidden_text.h), becomes a visible escape (`\x1b`, `<U+202E>`, `<U+E0041>`); a byte that
/// is no UTF-8 becomes U+FFFD.
/// All text out of a store goes through here; Output sees to it.
void append_visible(std::string& out, std::string_view text);

/// The same for a large text, a part at a time: appends what about `most` bytes at the front of
/// `text` become, and returns how many these are. `hidden` goes on with the next part.
std::size_t append_visible_part(std::string& out, std::string_view text, std::size_t most,
                                HiddenText& hidden);

/// append_visible() into a new string.
std::string visible(std::string_view text);

/// As visible(), on one line: line ends and tabs become blanks, and runs of
/// blanks one; at most `limit` bytes of `text` are looked at.
std::string visible_line(std::string_view text, std::size_t limit = 4096);

}  // namespace spoor::cli
