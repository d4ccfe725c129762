#pragma once

#include <compare>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::json {

/// Compares two number tokens exactly by value, with any number of digits: `1` equals `1.0`, `1e3`
/// equals `1000`.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b);

/// Returns true if the value of this number token is a whole number.
bool is_whole(std::string_view token);

/// Compares two JSON values: numbers by value, strings by code point, arrays in order, objects in
/// any order; the last of duplicate keys counts. Two missing values are equal. Objects of n members
/// take n² steps; the reader limits the depth.
bool equal(const Value& a, const Value& b);

}  // namespace spoor::json
