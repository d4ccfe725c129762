#include "agent/debrief/excerpt.h"

#include "store/utf8.h"

namespace spoor::agent::debrief {
namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";

}  // namespace

std::string cut(std::string_view text, std::size_t most) {
  const std::string_view kept = store::first_code_points(text, most);
  if (kept.size() == text.size() || most == 0) return std::string(kept);
  return std::string(store::first_code_points(text, most - 1)) + "…";
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
