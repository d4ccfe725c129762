#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile/json/reader.h"

namespace spoor::agent {

/// The value of a number token, as near as a double comes; nothing for what is no finite number.
std::optional<double> number_of(const compile::json::Value& value);

/// A count: a number of 0 or more, rounded to a whole one; nothing beyond 2^53.
std::optional<std::uint64_t> count_of(const compile::json::Value& value);

/// As people read it: `12345` is `12,345`.
std::string grouped(std::uint64_t number);

}  // namespace spoor::agent
