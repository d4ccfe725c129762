#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "guard/redact/rule.h"

namespace spoor::guard {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns true if the digits of `text` pass Luhn's formula (ISO/IEC 7812-1, annex B). Ignores
/// blanks and hyphens. False without two different digits.
bool passes_luhn(std::string_view text);

/// Returns how many bytes at the front of `text` are an IBAN, including blanks: a country that uses
/// IBANs, its length, and the check digits (ISO 13616-1). Nullopt if there is none.
std::optional<std::size_t> iban_length(std::string_view text);

/// Returns how many bytes at the front of a candidate pass `check`; nullopt if it is not a secret.
std::optional<std::size_t> passing(Check check, std::string_view text);

/// Returns Shannon's entropy of the bytes, in bits per byte: 0 for an empty text.
double entropy_of(std::string_view text);

}  // namespace spoor::guard
