#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace spoor {
namespace {

constexpr unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Returns the length in bytes of the first code point, or of a surrogate in WTF-8.
std::size_t step(std::string_view text) {
  const bool is_surrogate = text.size() >= 3 && byte_at(text, 0) == 0xed &&
                            (byte_at(text, 1) & 0xe0U) == 0xa0 &&
                            (byte_at(text, 2) & 0xc0U) == 0x80;
  return is_surrogate ? 3 : decode_utf8(text).length;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const CodePoint bad{first, 1, false};
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return bad;
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, i);
    if ((next & 0xc0U) != 0x80U) return bad;
    code = (code << 6) | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return bad;
  return {code, length, true};
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t word = 0;  // Eight ASCII bytes at a time while possible.
    if (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080ULL) == 0) {
        text.remove_prefix(sizeof word);
        continue;
      }
    }
    const CodePoint next = decode_utf8(text);
    if (!next.valid) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(step(text));
  return count;
}

std::string_view first_code_points(std::string_view text, std::size_t count) {
  std::size_t size = 0;
  for (; count > 0 && size < text.size(); --count) size += step(text.substr(size));
  return text.substr(0, size);
}

std::string_view cut_to_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    if (!next.valid || !is_blank_or_invisible(next.code)) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

bool is_blank_or_invisible(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr std::array kRanges = {
      Range{0x09, 0x0d},       Range{0x20, 0x20},       Range{0x85, 0x85},
      Range{0xa0, 0xa0},       Range{0xad, 0xad},       Range{0x34f, 0x34f},
      Range{0x61c, 0x61c},     Range{0x115f, 0x1160},   Range{0x1680, 0x1680},
      Range{0x17b4, 0x17b5},   Range{0x180b, 0x180f},   Range{0x2000, 0x200f},
      Range{0x2028, 0x202f},   Range{0x205f, 0x206f},   Range{0x2800, 0x2800},
      Range{0x3000, 0x3000},   Range{0x3164, 0x3164},   Range{0xfe00, 0xfe0f},
      Range{0xfeff, 0xfeff},   Range{0xffa0, 0xffa0},   Range{0xfff0, 0xfffb},
      Range{0x1bca0, 0x1bca3}, Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff},
  };
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [code](const Range& r) { return r.first <= code && code <= r.last; });
}

}  // namespace spoor
