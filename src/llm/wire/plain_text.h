#pragma once

#include <string>

#include "compile/prompt.h"

namespace spoor::llm::wire {

/// The prompt for people and for diffs: each message under a line that names its
/// role, calls and results spelled out. Bytes as stored; nothing is escaped.
std::string plain_text(const compile::Prompt& prompt);

}  // namespace spoor::llm::wire
