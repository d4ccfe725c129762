#include "base/json/equal.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace spoor::json {
namespace {

// A number token as 0.DIGITS × 10^exponent, without leading or trailing zeros in the digits.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// The limit of an exponent, at which one more digit still fits. No text is long enough for larger
// exponents to matter.
constexpr std::int64_t kMaxExponent = std::int64_t{1} << 59;

std::int64_t read_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) {
    exponent = std::min(kMaxExponent, exponent * 10 + (digit - '0'));
  }
  return is_negative ? -exponent : exponent;
}

Decimal read_decimal(std::string_view token) {
  Decimal number;
  number.is_negative = token.starts_with('-');
  if (number.is_negative) token.remove_prefix(1);
  const std::size_t mark = std::min(token.find_first_of("eE"), token.size());
  if (mark < token.size()) number.exponent = read_exponent(token.substr(mark + 1));
  const std::string_view mantissa = token.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  number.digits = mantissa.substr(0, point);
  number.exponent += static_cast<std::int64_t>(point);
  if (point < mantissa.size()) number.digits += mantissa.substr(point + 1);

  const std::size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};  // Zero, of either sign.
  number.digits.erase(0, first);
  number.exponent -= static_cast<std::int64_t>(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  return number;
}

std::strong_ordering compare_magnitudes(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) return a.digits.size() <=> b.digits.size();
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  return a.digits.compare(b.digits) <=> 0;
}

bool equal_arrays(const Value& a, const Value& b) {
  auto other = b.elements().begin();
  const auto end = b.elements().end();
  for (const Value element : a.elements()) {
    if (!(other != end) || !equal(element, *other)) return false;
    ++other;
  }
  return !(other != end);
}

std::set<std::string> keys_of(const Value& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.members()) keys.insert(key.text());
  return keys;
}

bool equal_objects(const Value& a, const Value& b) {
  const std::set<std::string> keys = keys_of(a);
  if (keys != keys_of(b)) return false;
  return std::ranges::all_of(
      keys, [&](const std::string& key) { return equal(a.find(key), b.find(key)); });
}

}  // namespace

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  const Decimal x = read_decimal(a);
  const Decimal y = read_decimal(b);
  if (x.is_negative != y.is_negative) return y.is_negative <=> x.is_negative;
  return x.is_negative ? compare_magnitudes(y, x) : compare_magnitudes(x, y);
}

bool is_whole(std::string_view token) {
  const Decimal number = read_decimal(token);
  return number.digits.empty() ||
         number.exponent >= static_cast<std::int64_t>(number.digits.size());
}

bool equal(const Value& a, const Value& b) {
  if (!a || !b) return !a && !b;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::null:
      return true;
    case Type::boolean:
      return a.is_true() == b.is_true();
    case Type::number:
      return compare_numbers(a.raw(), b.raw()) == 0;
    case Type::string:
      return a.text() == b.text();
    case Type::array:
      return equal_arrays(a, b);
    case Type::object:
      return equal_objects(a, b);
  }
  return false;
}

}  // namespace spoor::json
