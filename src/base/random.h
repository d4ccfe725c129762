#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor {

/// Returns `count` random bytes of the system (getentropy), at most 256. Returns Code::io.
Result<std::string> random_bytes(std::size_t count);

/// Returns a unique random id of 32 hexadecimal digits. Returns Code::io.
Result<std::string> random_id();

/// Returns two lower-case hexadecimal digits for each byte.
std::string hex_digits(std::string_view bytes);

}  // namespace spoor
