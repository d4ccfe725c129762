#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compile/prompt.h"

namespace spoor::llm::wire {

/// Returns the prompt for people and for diffs: each message after a line with its role, calls and
/// results as text, pictures by name. Bytes are unchanged; nothing is escaped.
std::string plain_text(const compile::Prompt& prompt);
std::string plain_text(std::span<const compile::Message> messages);

/// Returns one part of a message in that form, after the line with its role.
std::string plain_text(std::string_view role, const compile::Part& part);

}  // namespace spoor::llm::wire
