#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::agent {

/// The value of a number token, as near as a double comes; nothing for what is no finite number.
std::optional<double> number_of(const json::Value& value);

/// A count: a number of 0 or more, rounded to a whole one; nothing beyond 2^53.
std::optional<std::uint64_t> count_of(const json::Value& value);

/// As people read it: `12345` is `12,345`.
std::string grouped(std::uint64_t number);

/// `1 turn`, `1,204 turns`; with a plural of its own, `2 branches`.
std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural = {});

}  // namespace spoor::agent
