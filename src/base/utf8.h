#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spoor {

/// One step through text: the code point at the front and how many bytes it
/// takes. A byte that begins no well-formed UTF-8 sequence (RFC 3629) is one
/// step of length 1 with `valid` false and `code` the byte itself.
struct CodePoint {
  char32_t code = 0;
  std::size_t length = 0;
  bool valid = false;
};

/// Decodes the front of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

/// Appends `code` as UTF-8. A surrogate is written in the same three-byte
/// pattern (WTF-8), so that a lone one survives.
void append_utf8(std::string& out, char32_t code);

/// Is all of it well-formed UTF-8?
bool is_utf8(std::string_view text);

/// How many code points a text has. A surrogate in WTF-8 counts as one, as does each other byte
/// that is no UTF-8.
std::size_t count_code_points(std::string_view text);

/// Its first `count` code points, counted in this way; all of it when there are no more.
std::string_view first_code_points(std::string_view text, std::size_t count);

/// Is there nothing in it but what is_blank_or_invisible()?
bool is_blank(std::string_view text);

/// C0, DEL, C1: what a terminal might obey.
constexpr bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// White space of any width, and what is not seen or turns the direction of its
/// neighbours: Unicode's White_Space and Default_Ignorable_Code_Point, the marks of
/// annotations (U+FFF9 to U+FFFB) and the blank U+2800. Names that differ only in
/// these look alike.
bool is_blank_or_invisible(char32_t code);

}  // namespace spoor
