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

  /// Returns the stored form: `2026-11-21T20:13:24.123456Z`, six decimals and Z.
  std::string text() const;
};

/// The last valid microsecond: 9999-12-31T23:59:59.999999Z.
constexpr std::int64_t kLastMicro = 253'402'300'799'999'999;

/// Parses the form of text() only. Code::invalid for anything else.
Result<Timestamp> parse_stored_time(std::string_view text);

/// Parses RFC 3339 leniently: any number of decimals (cut after six), `Z` or an offset, `T`, `t` or
/// a blank between date and time. Seconds may be omitted. Code::invalid for anything else.
Result<Timestamp> parse_rfc3339(std::string_view text);

/// A source of the current time. A port, so that runs can be replayed. Implementations are safe to
/// call from any thread.
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
