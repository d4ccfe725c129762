#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::llm::wire {

/// Returns an id for a call without one: `call_` and 24 digits of a hash of the call, so that the
/// same reply has the same ids. `reply` identifies the reply (the provider's id or time),
/// `position` is the call's index in it.
std::string made_call_id(std::string_view reply, std::size_t position,
                         const compile::ToolCall& call);

/// Returns true if an id has the form of made_call_id().
bool is_made_call_id(std::string_view id);

/// Returns a call's arguments as the provider wrote them: the text of a string, the bytes of any
/// other value; `{}` if missing.
std::string arguments_of(const json::Value& arguments);

}  // namespace spoor::llm::wire
