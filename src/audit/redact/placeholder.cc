#include "audit/redact/placeholder.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::audit {
namespace {

constexpr std::string_view kBegin = "[REDACTED:";
constexpr std::size_t kMostIdBytes = 40;
constexpr std::size_t kMostDigits = 12;

}  // namespace

std::string placeholder(std::string_view rule, std::uint64_t number) {
  return fmt::format("{}{}:{}]", kBegin, rule, number);
}

std::vector<Span> placeholders_in(std::string_view text, const std::vector<std::string>& rules) {
  std::vector<Span> found;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const std::size_t id = at + kBegin.size();
    const std::size_t length = text.substr(id, kMostIdBytes + 1).find(':');
    if (length == std::string_view::npos) continue;
    const std::size_t colon = id + length;
    const std::string_view name = text.substr(id, length);
    if (std::find(rules.begin(), rules.end(), name) == rules.end()) continue;
    std::size_t end = colon + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::size_t digits = end - colon - 1;
    if (digits == 0 || digits > kMostDigits || end == text.size() || text[end] != ']') continue;
    found.push_back({at, end + 1});
  }
  return found;
}

}  // namespace spoor::audit
