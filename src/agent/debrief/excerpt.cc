#include "agent/debrief/excerpt.h"

#include "store/utf8.h"

namespace spoor::agent::debrief {
namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";

}  // namespace

std::string cut(std::string_view text, std::size_t most) {
  std::size_t at = 0;    // Where the next code point begins,
  std::size_t kept = 0;  // and where the last one that stays beside an ellipsis ends.
  for (std::size_t seen = 0; at < text.size(); ++seen) {
    if (seen == most) return std::string(text.substr(0, kept)) + (most == 0 ? "" : "…");
    if (seen + 1 == most) kept = at;
    at += store::decode_utf8(text.substr(at)).length;
  }
  return std::string(text);
}

std::string first_line(std::string_view text, std::size_t most) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  text = text.substr(0, text.find_first_of("\n\r"));
  return cut(text.substr(0, text.find_last_not_of(kSpace) + 1), most);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = kSpace.find(c) != std::string_view::npos;
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace spoor::agent::debrief
