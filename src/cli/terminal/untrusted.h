#pragma once

#include <string>
#include <string_view>

namespace spoor::cli {

/// Appends `text` so that a terminal only shows it: every control character but
/// LF and TAB, and every character that reorders the line it stands on, becomes
/// a visible escape (`\x1b`, `<U+202E>`); a byte that is no UTF-8 becomes U+FFFD.
/// All text out of a store goes through here; Output sees to it.
void append_visible(std::string& out, std::string_view text);

/// append_visible() into a new string.
std::string visible(std::string_view text);

/// As visible(), on one line: line ends and tabs become blanks, and runs of
/// blanks one; at most `limit` bytes of `text` are looked at.
std::string visible_line(std::string_view text, std::size_t limit = 4096);

/// U+061C, U+200E/F, U+202A–E, U+2066–9: what changes the order of what one sees.
constexpr bool is_bidi_control(char32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace spoor::cli
