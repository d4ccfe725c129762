#pragma once

#include <string>
#include <string_view>

#include "compile/prompt.h"

namespace spoor::llm::wire {

/// The prompt for people and for diffs: each message under a line that names its
/// role, calls and results spelled out, pictures named. Bytes as stored; nothing is escaped.
std::string plain_text(const compile::Prompt& prompt);

/// One part of a message in that form, under the line that names its role.
std::string plain_text(std::string_view role, const compile::Part& part);

}  // namespace spoor::llm::wire
