#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::llm {

/// An amount in whole billionths of a US dollar, so that sums are exact and the same in any order.
/// Sums and differences stop at the ends of their range instead of wrapping.
struct Money {
  std::int64_t nano_dollars = 0;

  auto operator<=>(const Money&) const = default;
};

Money operator+(Money a, Money b);
Money operator-(Money a, Money b);
inline Money& operator+=(Money& a, Money b) { return a = a + b; }

/// Reads a decimal number of dollars, as JSON writes numbers: `3`, `0.25`, `1e-05`. Not negative
/// and less than a billion; what is less than a billionth is rounded. Nothing for any other text.
std::optional<Money> parse_dollars(std::string_view text);

/// Exactly, as a number of dollars with two decimals at least: `3.00`, `0.25`, `0.000135`.
std::string dollars(Money money);

}  // namespace spoor::llm
