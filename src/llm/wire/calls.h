#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "compile/turn.h"

namespace spoor::llm::wire {

/// An id for a call that its provider gave none: `call_` and 24 digits of a hash of what the call
/// is, so that the same reply has the same ids. `reply` is what tells replies apart (an id or a
/// time of the provider's), `position` counts the calls in it.
std::string made_call_id(std::string_view reply, std::size_t position,
                         const compile::ToolCall& call);

/// Arguments as the provider wrote them: what a string says, the bytes of anything else; `{}`
/// where there are none.
std::string arguments_of(const json::Value& arguments);

}  // namespace spoor::llm::wire
