#pragma once

#include <compare>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// Compares two number tokens by value and exactly, however many digits they have:
/// `1` is `1.0`, `1e3` is `1000`.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b);

/// Is the value of this number token a whole number?
bool is_whole(std::string_view token);

/// Are two values equal as JSON means it? Numbers by value, strings by code point, arrays in order,
/// objects in any order; of duplicate keys the last one counts. Two missing values are equal.
/// Objects of n members take n² steps; containers go as deep as the reader lets them.
bool equal(const Value& a, const Value& b);

}  // namespace spoor::json
