#include "base/when.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

namespace spoor {
namespace {

constexpr std::int64_t kMicros = 1'000'000;

Error bad_when(std::string_view text) {
  return invalid(fmt::format("cannot parse time '{}'", text),
                 "write 2026-11-21, 2026-11-21T20:13, 2026-11-21T20:13:24Z or '2 hours ago'");
}

Timestamp before(Timestamp now, std::int64_t seconds) {
  return {std::max<std::int64_t>(now.micros - seconds * kMicros, 0)};
}

// Parses `N UNITS ago` and returns seconds; nullopt for any other text.
std::optional<std::int64_t> parse_span(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto digits = static_cast<std::size_t>(end - text.data());
  constexpr std::string_view kAgo = " ago";
  // At most a million of the largest unit, so the seconds fit in 64 bits.
  if (problem != std::errc() || count < 0 || count > 1'000'000 || !text.ends_with(kAgo) ||
      text[digits] != ' ' || digits + 1 + kAgo.size() > text.size()) {
    return std::nullopt;
  }
  std::string_view word = text.substr(digits + 1);
  word.remove_suffix(kAgo.size());
  if (word.ends_with('s')) word.remove_suffix(1);
  for (const TimeUnit& unit : kTimeUnits) {
    if (word == unit.name) return count * unit.seconds;
  }
  return std::nullopt;
}

// Parses RFC 3339. A date alone, or a time without a zone, is UTC.
Result<Timestamp> parse_absolute(std::string_view text) {
  if (text.size() == 10 && text[4] == '-') return parse_rfc3339(std::string(text) + "T00:00:00Z");
  if (auto time = parse_rfc3339(text)) return time;
  return parse_rfc3339(std::string(text) + "Z");
}

}  // namespace

Result<Timestamp> parse_when(std::string_view text, std::optional<Timestamp> now) {
  const std::optional<std::int64_t> span = text == "now" ? std::optional<std::int64_t>(0)
                                           : text == "yesterday"
                                               ? std::optional<std::int64_t>(86'400)
                                               : parse_span(text);
  if (span && now) return before(*now, *span);
  if (span) {
    return invalid(fmt::format("'{}' is relative, and the current time is not known here", text),
                   "write an absolute time: 2026-11-21T20:13:24Z");
  }
  const auto time = parse_absolute(text);
  return time ? time : Result<Timestamp>(bad_when(text));
}

std::optional<std::int64_t> parse_time_of_day(std::string_view text) {
  if (text.size() != 5 && text.size() != 8) return std::nullopt;
  const auto time = parse_rfc3339(
      fmt::format("1970-01-01T{}{}Z", text, text.size() == 5 ? std::string_view(":00") : ""));
  if (!time) return std::nullopt;
  return time.value().micros / kMicros;
}

}  // namespace spoor
