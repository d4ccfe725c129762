#include "llm/http/response_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spoor::llm::http {
namespace {

using std::chrono::milliseconds;

// Longer waits are capped, to keep the arithmetic safe.
constexpr double kLongestWait = 1e12;

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, problem] =
      std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (problem != std::errc() || stopped != end || !std::isfinite(value)) return std::nullopt;
  return std::clamp(value, 0.0, kLongestWait);
}

std::optional<int> read_digits(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stopped != end || value < 0) return std::nullopt;
  return value;
}

milliseconds until(Timestamp then, Timestamp now) {
  // Round up: a request sent slightly too early is rejected again.
  return milliseconds(std::max<std::int64_t>(0, (then.micros - now.micros + 999) / 1000));
}

std::optional<milliseconds> used_up_limits_wait(const Head& head, Timestamp now) {
  std::optional<milliseconds> longest;
  for (const std::string_view limit : {"requests", "tokens", "input-tokens", "output-tokens"}) {
    const std::string prefix = "anthropic-ratelimit-" + std::string(limit);
    if (head.find(prefix + "-remaining") != "0") continue;
    const auto reset = parse_rfc3339(head.find(prefix + "-reset"));
    if (!reset) continue;
    longest = std::max(longest.value_or(milliseconds(0)), until(reset.value(), now));
  }
  return longest;
}

}  // namespace

std::optional<Timestamp> read_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // Sun, 06 Nov 1994 08:49:37 GMT
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' ||
      text[16] != ' ' || text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  const auto day = read_digits(text.substr(5, 2));
  const auto year = read_digits(text.substr(12, 4));
  const auto hour = read_digits(text.substr(17, 2));
  const auto minute = read_digits(text.substr(20, 2));
  const auto second = read_digits(text.substr(23, 2));
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (!day || !year || !hour || !minute || !second || month == kMonths.end()) return std::nullopt;

  const std::chrono::year_month_day date{
      std::chrono::year(*year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin() + 1)),
      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto moment = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                      std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  return Timestamp{std::chrono::microseconds(moment.time_since_epoch()).count()};
}

std::optional<milliseconds> asked_wait(const Head& head, Timestamp now) {
  if (const auto number = read_number(head.find("retry-after-ms"))) {
    return milliseconds(static_cast<std::int64_t>(std::ceil(*number)));
  }
  const std::string_view after = head.find("retry-after");
  if (const auto number = read_number(after)) {
    return milliseconds(static_cast<std::int64_t>(std::ceil(*number * 1000)));
  }
  if (const auto date = read_http_date(after)) return until(*date, now);
  return used_up_limits_wait(head, now);
}

std::optional<bool> asked_retry(const Head& head) {
  const std::string_view said = head.find("x-should-retry");
  if (said == "true") return true;
  if (said == "false") return false;
  return std::nullopt;
}

std::string request_id(const Head& head) {
  constexpr std::size_t kLongest = 128;
  for (const std::string_view name : {"request-id", "x-request-id"}) {
    const std::string_view id = head.find(name);
    const bool is_printable = std::ranges::all_of(id, [](char c) { return c > ' ' && c < '\x7f'; });
    if (!id.empty() && id.size() <= kLongest && is_printable) return std::string(id);
  }
  return {};
}

void add_facts(Failure& failure, const Head& head, Timestamp now) {
  if (const auto wait = asked_wait(head, now)) failure.retry_after = wait;
  if (const auto retry = asked_retry(head)) failure.should_retry = retry;
  const std::string id = request_id(head);
  if (!id.empty()) failure.message += " (request " + id + ")";
}

}  // namespace spoor::llm::http
