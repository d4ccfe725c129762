#include "cli/views/times.h"

#include <array>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

constexpr std::int64_t kMicros = 1'000'000;

}  // namespace

std::string relative_time(Timestamp time, Timestamp now) {
  const std::int64_t seconds = (now.micros - time.micros) / kMicros;
  const std::int64_t distance = seconds < 0 ? -seconds : seconds;
  for (const TimeUnit& unit : kTimeUnits) {
    const std::int64_t count = distance / unit.seconds;
    if (count == 0) continue;
    const std::string words = fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s");
    return seconds < 0 ? "in " + words : words + " ago";
  }
  return "just now";
}

std::string plain_time(Timestamp time) {
  return time.text().substr(0, 19) + "Z";  // Without the six decimals.
}

}  // namespace spoor::cli
