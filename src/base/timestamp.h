#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor {

/// A moment: microseconds since 1970-01-01T00:00:00Z, within the years 1970 to
/// 9999. Leap seconds do not exist here (POSIX time).
struct Timestamp {
  std::int64_t micros = 0;

  auto operator<=>(const Timestamp&) const = default;

  /// The one stored form: `2026-11-21T20:13:24.123456Z`, six decimals and Z.
  std::string text() const;
};

/// The last microsecond that can be written: 9999-12-31T23:59:59.999999Z.
constexpr std::int64_t kLastMicro = 253'402'300'799'999'999;

/// Reads text() back, and nothing else. Code::invalid otherwise.
Result<Timestamp> parse_stored_time(std::string_view text);

/// Reads RFC 3339 as people and programs write it: any number of decimals
/// (more than six are cut off), `Z` or an offset, `T`, `t` or a blank between
/// date and time. Seconds may be left out. Code::invalid otherwise.
Result<Timestamp> parse_rfc3339(std::string_view text);

/// Where the present comes from. A port, so that runs replay.
/// Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

/// The machine's wall clock.
class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

}  // namespace spoor
