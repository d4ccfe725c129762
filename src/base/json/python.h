#pragma once

#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// As parse_one(), of what Python's json module writes: NaN, Infinity and -Infinity are values too,
/// nulls that keep their bytes.
Reading parse_python(std::string_view text, Document& document);

/// Is one of these words in a value? JSON cannot say it then.
bool has_python_word(const Value& value);

}  // namespace spoor::json
