#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::agent {

/// Returns the nearest double of a number token; nullopt if it is not a finite number.
std::optional<double> number_of(const json::Value& value);

/// Returns a number of 0 or more, rounded to a whole one; nullopt above 2^53.
std::optional<std::uint64_t> count_of(const json::Value& value);

/// Formats a number for people: `12345` as `12,345`.
std::string grouped(std::uint64_t number);

/// Formats a count: `1 turn`, `1,204 turns`; with an irregular plural, `2 branches`.
std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural = {});

}  // namespace spoor::agent
