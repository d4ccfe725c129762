#include "cli/times.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t seconds;
};

constexpr std::array kUnits = {
    Unit{"year", 31'556'952}, Unit{"month", 2'629'746}, Unit{"week", 604'800}, Unit{"day", 86'400},
    Unit{"hour", 3'600},      Unit{"minute", 60},       Unit{"second", 1},
};

constexpr std::int64_t kMicros = 1'000'000;

Error bad_when(std::string_view text) {
  return store::invalid(fmt::format("'{}' is no time", text),
                        "write 2026-11-21, 2026-11-21T20:13:24Z or '2 hours ago'");
}

store::Timestamp before(store::Timestamp now, std::int64_t seconds) {
  return {std::max<std::int64_t>(now.micros - seconds * kMicros, 0)};
}

}  // namespace

std::string relative_time(store::Timestamp time, store::Timestamp now) {
  const std::int64_t seconds = (now.micros - time.micros) / kMicros;
  const std::int64_t distance = seconds < 0 ? -seconds : seconds;
  for (const Unit& unit : kUnits) {
    const std::int64_t count = distance / unit.seconds;
    if (count == 0) continue;
    const std::string words = fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s");
    return seconds < 0 ? "in " + words : words + " ago";
  }
  return "just now";
}

std::string plain_time(store::Timestamp time) {
  return time.text().substr(0, 19) + "Z";  // Without the six decimals.
}

Result<store::Timestamp> parse_when(std::string_view text, store::Timestamp now) {
  if (text == "now") return now;
  if (text == "yesterday") return before(now, 86'400);
  if (text.size() == 10 && text[4] == '-') {
    return store::parse_rfc3339(std::string(text) + "T00:00:00Z");
  }
  if (!text.ends_with(" ago")) {
    const auto time = store::parse_rfc3339(text);
    return time ? time : Result<store::Timestamp>(bad_when(text));
  }
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto digits = static_cast<std::size_t>(end - text.data());
  // Below a million of the largest unit, seconds fit 64 bits with room.
  if (problem != std::errc() || count < 0 || count > 1'000'000 || text[digits] != ' ') {
    return bad_when(text);
  }
  std::string_view word = text.substr(digits + 1);
  word.remove_suffix(4);
  if (word.ends_with('s')) word.remove_suffix(1);
  for (const Unit& unit : kUnits) {
    if (word == unit.name) return before(now, count * unit.seconds);
  }
  return bad_when(text);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
  if (number == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", grouped(number), singular)
                        : fmt::format("{} {}", grouped(number), plural);
}

std::string byte_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  std::size_t name = 0;
  for (; size >= 1024 && name + 1 < kNames.size(); ++name) size /= 1024;
  return fmt::format("{:.1f} {}", size, kNames.at(name));
}

}  // namespace spoor::cli
