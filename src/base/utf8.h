#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spoor {

/// One step through a text: the first code point and its length in bytes. A byte that begins no
/// well-formed UTF-8 sequence (RFC 3629) is a step of length 1 with `valid` false and the byte as
/// `code`.
struct CodePoint {
  char32_t code = 0;
  std::size_t length = 0;
  bool valid = false;
};

/// Decodes the first code point of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

/// Appends `code` as UTF-8. A surrogate is written in the same three-byte pattern (WTF-8), so that
/// an unpaired one survives.
void append_utf8(std::string& out, char32_t code);

/// Returns whether all of `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

/// Counts the code points of a text. A surrogate in WTF-8 counts as one, as does each other byte
/// that is not UTF-8.
std::size_t count_code_points(std::string_view text);

/// Returns the first `count` code points, counted the same way, or all if there are fewer.
std::string_view first_code_points(std::string_view text, std::size_t count);

/// Returns the first `most` bytes, or fewer where these would end inside a character; all if there
/// are not more.
std::string_view cut_to_bytes(std::string_view text, std::size_t most);

/// Returns whether all characters are is_blank_or_invisible().
bool is_blank(std::string_view text);

/// True for C0, DEL and C1, which a terminal might interpret.
constexpr bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Returns whether a character is white space of any width, invisible, or a direction control:
/// Unicode's White_Space and Default_Ignorable_Code_Point, the annotation marks (U+FFF9 to U+FFFB)
/// and the blank U+2800. Names that differ only in these look alike.
bool is_blank_or_invisible(char32_t code);

}  // namespace spoor
