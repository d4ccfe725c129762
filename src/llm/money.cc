#include "llm/money.h"

#include <limits>

#include <fmt/format.h>

namespace spoor::llm {
namespace {

constexpr std::int64_t kDollar = 1'000'000'000;
constexpr int kDecimals = 9;       // of a dollar, in whole billionths
constexpr int kMaxExponent = 400;  // more than any double has

using Limits = std::numeric_limits<std::int64_t>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the digits at the start of `text` and returns them.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

// Parses the exponent at the start of `text`; zero if there is none.
std::optional<int> take_exponent(std::string_view& text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return 0;
  text.remove_prefix(1);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return std::nullopt;
  int exponent = 0;
  for (const char digit : digits) {
    if (exponent <= kMaxExponent) exponent = exponent * 10 + (digit - '0');
  }
  return is_negative ? -exponent : exponent;
}

}  // namespace

Money operator+(Money a, Money b) {
  Money sum;
  if (__builtin_add_overflow(a.nano_dollars, b.nano_dollars, &sum.nano_dollars)) {
    sum.nano_dollars = b.nano_dollars > 0 ? Limits::max() : Limits::min();
  }
  return sum;
}

Money operator-(Money a, Money b) {
  Money difference;
  if (__builtin_sub_overflow(a.nano_dollars, b.nano_dollars, &difference.nano_dollars)) {
    difference.nano_dollars = b.nano_dollars > 0 ? Limits::min() : Limits::max();
  }
  return difference;
}

std::optional<Money> parse_dollars(std::string_view text) {
  const std::string_view whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  std::string_view decimals;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimals = take_digits(text);
    if (decimals.empty()) return std::nullopt;
  }
  const auto exponent = take_exponent(text);
  if (!exponent || !text.empty()) return std::nullopt;

  // The digits, whose decimal point follows `whole`; digits below a billionth are dropped.
  const std::string digits = std::string(whole) + std::string(decimals);
  const std::int64_t kept =
      static_cast<std::int64_t>(whole.size()) + std::int64_t{*exponent} + kDecimals;
  Money money;
  for (std::int64_t i = 0; i < kept; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t digit = at < digits.size() ? digits[at] - '0' : 0;
    if (money.nano_dollars >= kDollar * kDollar / 10) return std::nullopt;  // One digit too many.
    money.nano_dollars = money.nano_dollars * 10 + digit;
    if (at >= digits.size() && money.nano_dollars == 0) break;
  }
  const bool has_more = kept >= 0 && static_cast<std::size_t>(kept) < digits.size();
  if (has_more && digits[static_cast<std::size_t>(kept)] >= '5') ++money.nano_dollars;
  if (money.nano_dollars >= kDollar * kDollar) return std::nullopt;
  return money;
}

std::string dollars(Money money) {
  const bool is_negative = money.nano_dollars < 0;
  const auto magnitude = is_negative ? 0 - static_cast<std::uint64_t>(money.nano_dollars)
                                     : static_cast<std::uint64_t>(money.nano_dollars);
  std::string text =
      fmt::format("{}{}.{:09}", is_negative ? "-" : "", magnitude / kDollar, magnitude % kDollar);
  const std::size_t shortest = text.size() - (kDecimals - 2);
  while (text.size() > shortest && text.back() == '0') text.pop_back();
  return text;
}

}  // namespace spoor::llm
