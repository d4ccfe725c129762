#include "base/json/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace spoor::json {

// ECMA-262, Number::toString: `digits` times ten to the power of (`point` - digits.size()).
std::string write_number(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return "0";
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  std::string out;
  if (text.front() == '-') {
    out = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* number = text.data() + e + 1;
  if (*number == '+') ++number;
  std::from_chars(number, text.data() + text.size(), exponent);
  std::string digits(1, text.front());
  if (e > 2) digits += text.substr(2, e - 2);

  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;
  if (count <= point && point <= 21) {
    return out + digits + std::string(static_cast<std::size_t>(point - count), '0');
  }
  if (0 < point && point <= 21) {
    return out + digits.insert(static_cast<std::size_t>(point), ".");
  }
  if (-6 < point && point <= 0) {
    return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  }
  out += digits.front();
  if (count > 1) out += "." + digits.substr(1);
  const int power = point - 1;
  return out + "e" + (power < 0 ? "-" : "+") + std::to_string(std::abs(power));
}

}  // namespace spoor::json
