#include "store/utf8.h"

#include <cstring>

namespace spoor::store {
namespace {

constexpr unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
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
    std::uint64_t word = 0;  // Eight ASCII bytes at a time, where there are eight.
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

}  // namespace spoor::store
