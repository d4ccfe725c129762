#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/timestamp.h"

namespace spoor {

/// A named span of time, `year` to `second`; months and years are those of the mean Gregorian
/// calendar.
struct TimeUnit {
  std::string_view name;
  std::int64_t seconds;
};

/// Longest first.
inline constexpr std::array kTimeUnits = {
    TimeUnit{"year", 31'556'952}, TimeUnit{"month", 2'629'746}, TimeUnit{"week", 604'800},
    TimeUnit{"day", 86'400},      TimeUnit{"hour", 3'600},      TimeUnit{"minute", 60},
    TimeUnit{"second", 1},
};

/// Parses a time: RFC 3339, the same without a zone (UTC then), a date (its first moment, UTC),
/// `now`, `yesterday` (24 hours ago), or `2 hours ago`. Code::invalid otherwise, and for the last
/// three if `now` is nullopt.
Result<Timestamp> parse_when(std::string_view text, std::optional<Timestamp> now);

/// Parses a time of day, `11:40` or `11:40:59`, and returns its seconds since midnight.
std::optional<std::int64_t> parse_time_of_day(std::string_view text);

}  // namespace spoor
