#include "agent/numbers.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/json/writer.h"

namespace spoor::agent {

std::optional<double> number_of(const json::Value& value) {
  if (!value.is_number()) return std::nullopt;
  const std::string_view token = value.raw();
  double number = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), number);
  if (read.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> count_of(const json::Value& value) {
  const auto number = number_of(value);
  constexpr auto kMost = static_cast<double>(json::kMaxExactInteger);
  if (!number || *number < 0 || *number > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*number));
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
  if (number == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", grouped(number), singular)
                        : fmt::format("{} {}", grouped(number), plural);
}

}  // namespace spoor::agent
