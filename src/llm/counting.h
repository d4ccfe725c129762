#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// The body that asks to count the tokens of a call's body. Only for wires that count (endpoint.h).
/// Code::invalid when `body` is no JSON object.
Result<std::string> counting_body(Wire wire, std::string_view model, std::string_view body);

/// The number in the answer. Code::unavailable when there is none.
Result<std::uint64_t> read_count(std::string_view body);

}  // namespace spoor::llm
