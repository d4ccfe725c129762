#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::llm {

/// An amount in whole billionths of a US dollar, so that sums are exact in any order. Sums and
/// differences saturate instead of wrapping.
struct Money {
  std::int64_t nano_dollars = 0;

  auto operator<=>(const Money&) const = default;
};

Money operator+(Money a, Money b);
Money operator-(Money a, Money b);
inline Money& operator+=(Money& a, Money b) { return a = a + b; }

/// Parses a decimal number of dollars in JSON's syntax: `3`, `0.25`, `1e-05`. It must not be
/// negative and must be less than a billion; digits below a billionth are rounded. Returns nullopt
/// for any other text.
std::optional<Money> parse_dollars(std::string_view text);

/// Formats the exact amount in dollars, with at least two decimals: `3.00`, `0.25`, `0.000135`.
std::string dollars(Money money);

}  // namespace spoor::llm
