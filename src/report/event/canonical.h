#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::report {

/// A JSON text as RFC 8785 has it: numbers as ECMAScript writes the double that is nearest to them
/// (`1`, `0`, `1e-7`; integers beyond 2^53 lose their last digits, as there), keys sorted by their
/// UTF-16 code units, strings with the fewest escapes. Nothing where the text is no JSON value, or
/// one that RFC 8785 has no bytes for: a key twice in an object, half a surrogate pair, a number
/// that no double holds.
std::optional<std::string> canonical_rfc8785(std::string_view text);

}  // namespace spoor::report
