#pragma once

#include <string>

namespace spoor::json {

/// Formats a number as ECMAScript does, as RFC 8785 (section 3.2.2.3) requires: the shortest digits
/// that parse to the same double, exponents such as `1e+21` and `1e-7` for large and small numbers,
/// `0` for both zeros. Returns `null` for infinities and NaN, which JSON cannot express.
std::string write_number(double value);

}  // namespace spoor::json
