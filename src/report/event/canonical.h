#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spoor::report {

/// Returns a JSON text in the form of RFC 8785: numbers as ECMAScript writes the nearest double
/// (`1`, `0`, `1e-7`; integers beyond 2^53 lose their last digits, as in ECMAScript), keys sorted
/// by their UTF-16 code units, strings with the fewest escapes. Returns nullopt if the text is not
/// a JSON value, or has no form in RFC 8785: a key twice in an object, half a surrogate pair, a
/// number beyond the range of doubles.
std::optional<std::string> canonical_rfc8785(std::string_view text);

}  // namespace spoor::report
