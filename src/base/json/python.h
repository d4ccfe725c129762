#pragma once

#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// Like parse_one(), for JSON written by Python: NaN, Infinity and -Infinity are read too, as nulls
/// that keep their bytes.
Reading parse_python(std::string_view text, Document& document);

/// Returns true if `value` contains one of these words, so that JSON cannot express it.
bool has_python_word(const Value& value);

}  // namespace spoor::json
