#include "report/debrief/excerpt.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace spoor::report::debrief {

std::string cut(std::string_view text, std::size_t most) {
  const std::string_view kept = first_code_points(text, most);
  if (kept.size() == text.size() || most == 0) return std::string(kept);
  return std::string(first_code_points(text, most - 1)) + "…";
}

std::string first_line(std::string_view text, std::size_t most) {
  text = trimmed(text);
  return cut(trimmed(text.substr(0, text.find_first_of("\n\r"))), most);
}

std::string first_words(std::string_view text, std::size_t most) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    for (const char c : line) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool is_other = static_cast<unsigned char>(c) >= 0x80;
      if (is_letter || is_other || (c >= '0' && c <= '9')) return first_line(line, most);
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return first_line(text, most);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = kWhiteSpace.find(c) != std::string_view::npos;
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace spoor::report::debrief
