#include "base/timestamp.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace spoor {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

// Parses fields from the front of a text; `ok` is true while all of them were present.
struct Scanner {
  std::string_view rest;
  bool ok = true;

  int digits(std::size_t count) {
    int value = 0;
    if (rest.size() < count) return ok = false, 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest[i] < '0' || rest[i] > '9') return ok = false, 0;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(count);
    return value;
  }

  bool skip(std::string_view any_of) {
    if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }

  void need(std::string_view any_of) { ok = skip(any_of) && ok; }
};

Error bad_time(std::string_view text) {
  return invalid(fmt::format("cannot parse time '{}'", text),
                 "write it as 2026-11-21T20:13:24Z (RFC 3339)");
}

}  // namespace

std::string Timestamp::text() const {
  const std::int64_t day = micros / kMicrosPerDay;
  const std::int64_t rest = micros % kMicrosPerDay;
  const year_month_day date{sys_days{days{day}}};
  const std::int64_t seconds = rest / kMicrosPerSecond;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     seconds / 3600, seconds / 60 % 60, seconds % 60, rest % kMicrosPerSecond);
}

Result<Timestamp> parse_stored_time(std::string_view text) {
  constexpr std::size_t kLength = 27;
  if (text.size() != kLength || text[10] != 'T' || text[19] != '.' || text.back() != 'Z') {
    return bad_time(text);
  }
  return parse_rfc3339(text);
}

Result<Timestamp> parse_rfc3339(std::string_view text) {
  Scanner in{text};
  const int year = in.digits(4);
  in.need("-");
  const int month = in.digits(2);
  in.need("-");
  const int day = in.digits(2);
  in.need("Tt ");
  const int hour = in.digits(2);
  in.need(":");
  const int minute = in.digits(2);
  const int second = in.skip(":") ? in.digits(2) : 0;

  std::int64_t micros = 0;
  if (in.ok && in.skip(".")) {
    std::int64_t unit = 100'000;
    std::size_t count = 0;
    for (; !in.rest.empty() && in.rest.front() >= '0' && in.rest.front() <= '9'; ++count) {
      micros += (in.rest.front() - '0') * unit;
      unit /= 10;
      in.rest.remove_prefix(1);
    }
    in.ok = count > 0;
  }

  std::int64_t offset_minutes = 0;
  if (in.ok && !in.skip("Zz")) {
    const int sign = in.rest.starts_with('-') ? -1 : 1;
    in.need("+-");
    const int hours = in.digits(2);
    in.need(":");
    const int minutes = in.digits(2);
    in.ok = in.ok && hours <= 23 && minutes <= 59;
    offset_minutes = sign * (hours * 60 + minutes);
  }

  const year_month_day date{std::chrono::year{year},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!in.ok || !in.rest.empty() || !date.ok() || hour > 23 || minute > 59 || second > 59) {
    return bad_time(text);
  }
  const std::int64_t day_count = sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = hour * 3600 + minute * 60 + second - offset_minutes * 60;
  const Timestamp time{day_count * kMicrosPerDay + seconds * kMicrosPerSecond + micros};
  if (time.micros < 0 || time.micros > kLastMicro) return bad_time(text);
  return time;
}

Timestamp SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t micros = std::chrono::duration_cast<microseconds>(since_epoch).count();
  return {std::clamp<std::int64_t>(micros, 0, kLastMicro)};
}

}  // namespace spoor
