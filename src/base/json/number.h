#pragma once

#include <string>

namespace spoor::json {

/// A number as ECMAScript writes it, which is how RFC 8785 (section 3.2.2.3) has it: the shortest
/// digits that read back as the same double, `1e+21` and `1e-7` where they are that large or small,
/// `0` for both zeros. JSON has no word for what is not finite: `null`.
std::string write_number(double value);

}  // namespace spoor::json
