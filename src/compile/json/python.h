#pragma once

#include <string_view>

#include "compile/json/reader.h"

namespace spoor::compile::json {

/// As parse_one(), of what Python's json module writes: NaN, Infinity and -Infinity are values too,
/// nulls that keep their bytes.
Reading parse_python(std::string_view text, Document& document);

}  // namespace spoor::compile::json
