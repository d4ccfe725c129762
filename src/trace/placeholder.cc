#include "trace/placeholder.h"

#include <fmt/format.h>

namespace spoor::trace {
namespace {

constexpr std::string_view kBegin = "[REDACTED:";
constexpr std::size_t kMostIdBytes = 40;
constexpr std::size_t kMostDigits = 12;

}  // namespace

std::string placeholder(std::string_view rule, std::uint64_t number) {
  return fmt::format("{}{}:{}]", kBegin, rule, number);
}

bool is_rule_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdBytes &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::vector<Placeholder> placeholders_in(std::string_view text) {
  std::vector<Placeholder> found;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const std::size_t id = at + kBegin.size();
    const std::size_t length = text.substr(id, kMostIdBytes + 1).find(':');
    if (length == std::string_view::npos) continue;
    const std::string_view rule = text.substr(id, length);
    if (!is_rule_id(rule)) continue;
    const std::size_t number = id + length + 1;
    const std::size_t end = text.find_first_not_of("0123456789", number);
    if (end == number || end == std::string_view::npos || end > number + kMostDigits) continue;
    if (text[end] == ']') found.push_back({rule, {at, end + 1}});
  }
  return found;
}

}  // namespace spoor::trace
