#include "cli/terminal/untrusted.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr char32_t kReplaced = 0xfffd;  // The same.

constexpr bool is_plain(unsigned char byte) {
  return (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t';
}

void append_code(std::string& out, std::string_view bytes, const CodePoint& next, bool is_hidden) {
  if (!next.valid) {
    out += kReplacement;
  } else if (next.code < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(next.code));
  } else if (is_control(next.code) || is_hidden) {
    fmt::format_to(std::back_inserter(out), "<U+{:04X}>", static_cast<unsigned>(next.code));
  } else {
    out += bytes;
  }
}

}  // namespace

std::size_t append_visible_part(std::string& out, std::string_view text, std::size_t most,
                                HiddenText& hidden) {
  std::size_t done = 0;
  while (done < text.size() && done < most) {
    const std::size_t begin = done;
    const std::size_t end = std::min(text.size(), most);
    while (done < end && is_plain(static_cast<unsigned char>(text[done]))) ++done;
    if (done > begin) {
      hidden.take(static_cast<unsigned char>(text[done - 1]), text.substr(done));
      out += text.substr(begin, done - begin);
      continue;
    }
    const CodePoint next = decode_utf8(text.substr(done));
    const std::string_view bytes = text.substr(done, next.length);
    done += next.length;
    const bool is_hidden = hidden.take(next.valid ? next.code : kReplaced, text.substr(done));
    append_code(out, bytes, next, is_hidden);
  }
  return done;
}

void append_visible(std::string& out, std::string_view text) {
  HiddenText hidden;
  append_visible_part(out, text, text.size(), hidden);
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_visible(out, text);
  return out;
}

std::string visible_line(std::string_view text, std::size_t limit) {
  std::string flat;
  bool gap = false;
  for (const char c : text.substr(0, limit)) {
    if (c == '\n' || c == '\t' || c == '\r' || c == ' ') {
      gap = !flat.empty();
      continue;
    }
    if (gap) flat += ' ';
    gap = false;
    flat += c;
  }
  // The cut may have split a character: drop its partial bytes instead of showing U+FFFD.
  if (text.size() > limit) {
    std::size_t end = flat.size();
    while (end > 0 && flat.size() - end < 3 &&
           (static_cast<unsigned char>(flat[end - 1]) & 0xc0) == 0x80)
      --end;
    if (end > 0 && static_cast<unsigned char>(flat[end - 1]) >= 0xc0 &&
        !decode_utf8(std::string_view(flat).substr(end - 1)).valid) {
      flat.resize(end - 1);
    }
  }
  return visible(flat);
}

}  // namespace spoor::cli
