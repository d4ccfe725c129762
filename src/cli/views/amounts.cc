#include "cli/views/amounts.h"

#include <array>

#include <fmt/format.h>

namespace spoor::cli {

std::string short_number(std::uint64_t number) {
  constexpr std::array kUnits = {"", "k", "M", "G", "T", "P", "E"};
  if (number < 1'000) return std::to_string(number);
  auto value = static_cast<double>(number);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1'000, ++unit;
  return value < 9.95 ? fmt::format("{:.1f}{}", value, kUnits[unit])
                      : fmt::format("{:.0f}{}", value, kUnits[unit]);
}

std::string short_cost(llm::Money cost, bool is_complete) {
  constexpr std::int64_t kCent = 10'000'000;  // Billionths of a dollar.
  const std::string_view mark = is_complete ? "" : "≥";
  if (cost.nano_dollars > 0 && cost.nano_dollars < kCent) {
    return is_complete ? "<$0.01" : "≥$0.00";
  }
  const std::int64_t cents = (cost.nano_dollars + kCent / 2) / kCent;
  return fmt::format("{}${}.{:02}", mark, cents / 100, cents % 100);
}

std::string short_duration(std::int64_t milliseconds) {
  constexpr double kSecond = 1'000;
  constexpr double kMinute = 60 * kSecond;
  constexpr double kHour = 60 * kMinute;
  const auto time = static_cast<double>(milliseconds);
  if (time < kSecond) return fmt::format("{} ms", milliseconds);
  if (time < kMinute) return fmt::format("{:.1f} s", time / kSecond);
  if (time < kHour) return fmt::format("{:.0f} min", time / kMinute);
  return fmt::format("{:.1f} h", time / kHour);
}

}  // namespace spoor::cli
