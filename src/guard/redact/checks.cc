#include "guard/redact/checks.h"

#include <array>
#include <cmath>
#include <string>

namespace spoor::guard {
namespace {

// The IBAN registry: the country's code and its IBANs' length.
constexpr std::string_view kIbanLengths =
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18"
    "FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21"
    "MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25"
    "SV28TL23TN24TR26UA29VA22VG24XK20";

std::size_t length_for(std::string_view country) {
  for (std::size_t i = 0; i + 4 <= kIbanLengths.size(); i += 4) {
    if (kIbanLengths.substr(i, 2) != country) continue;
    return static_cast<std::size_t>(10 * (kIbanLengths[i + 2] - '0') + kIbanLengths[i + 3] - '0');
  }
  return 0;
}

}  // namespace

bool passes_luhn(std::string_view text) {
  int sum = 0;
  bool doubles = false;
  bool differs = false;
  char last = '\0';
  for (std::size_t i = text.size(); i-- > 0;) {
    if (!is_digit(text[i])) continue;
    if (last != '\0' && last != text[i]) differs = true;
    last = text[i];
    int digit = text[i] - '0';
    if (doubles) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    doubles = !doubles;
    sum += digit;
  }
  return differs && sum % 10 == 0;
}

std::optional<std::size_t> iban_length(std::string_view text) {
  const std::size_t wanted = length_for(text.substr(0, 2));
  if (wanted == 0) return std::nullopt;
  std::string compact;
  std::size_t end = 0;
  for (; end < text.size() && compact.size() < wanted; ++end) {
    if (text[end] != ' ') compact += text[end];
  }
  if (compact.size() < wanted) return std::nullopt;
  unsigned rest = 0;  // The remainder by 97 of the spelled-out number, with the first four
                      // characters moved to the end.
  for (std::size_t i = 0; i < wanted; ++i) {
    const char c = compact[(i + 4) % wanted];
    if (is_digit(c)) {
      rest = (rest * 10 + static_cast<unsigned>(c - '0')) % 97;
    } else if (c >= 'A' && c <= 'Z') {
      rest = (rest * 100 + static_cast<unsigned>(c - 'A') + 10) % 97;
    } else {
      return std::nullopt;
    }
  }
  if (rest != 1) return std::nullopt;
  return end;
}

std::optional<std::size_t> passing(Check check, std::string_view text) {
  switch (check) {
    case Check::none:
      return text.size();
    case Check::luhn:
      if (passes_luhn(text)) return text.size();
      return std::nullopt;
    case Check::mod97:
      return iban_length(text);
  }
  return std::nullopt;
}

double entropy_of(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const std::size_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

}  // namespace spoor::guard
