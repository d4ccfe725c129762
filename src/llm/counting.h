#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Returns the body of a request that counts the tokens of `body`. Only for wires that can count
/// (endpoint.h). Code::invalid if `body` is not a JSON object.
Result<std::string> counting_body(Wire wire, std::string_view model, std::string_view body);

/// Returns the token count in the response `body`. Code::unavailable if there is none.
Result<std::uint64_t> read_count(std::string_view body);

}  // namespace spoor::llm
