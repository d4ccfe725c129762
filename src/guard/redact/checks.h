#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "guard/redact/rule.h"

namespace spoor::guard {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Do the digits of `text` pass Luhn's formula (ISO/IEC 7812-1, annex B)? Blanks and hyphens are
/// passed over. False without two different digits.
bool passes_luhn(std::string_view text);

/// How many bytes at the front of `text` are an IBAN, blanks inside included: a country that has
/// them, its length, and the check digits (ISO 13616-1). Nothing: none.
std::optional<std::size_t> iban_length(std::string_view text);

/// How many bytes at the front of a candidate pass `check`; nothing: it is no secret.
std::optional<std::size_t> passing(Check check, std::string_view text);

/// Shannon's entropy of the bytes, in bits a byte: 0 for an empty text.
double entropy_of(std::string_view text);

}  // namespace spoor::guard
