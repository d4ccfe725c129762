#pragma once

#include <cstdint>
#include <string>

#include "llm/money.h"

namespace spoor::cli {

/// Returns a number in three digits at most: `999`, `1.2k`, `12k`, `3.4M`.
std::string short_number(std::uint64_t number);

/// Returns a cost to the cent: `$0.42`, `<$0.01`; `≥$0.42` if a part of the cost is unknown.
std::string short_cost(llm::Money cost, bool is_complete);

/// Returns a duration: `35 ms`, `1.2 s`, `12 min`, `3.4 h`.
std::string short_duration(std::int64_t milliseconds);

}  // namespace spoor::cli
