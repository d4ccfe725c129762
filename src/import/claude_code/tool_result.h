#pragma once

#include <string>
#include <string_view>

#include "compile/json/reader.h"

namespace spoor::import::claude_code {

/// What Claude Code's structured result of a tool (`toolUseResult`) says beyond
/// what is stored already, in the text of the result and in the `arguments` of
/// the call (JSON, may be empty): `structured` without the members that were
/// found there, every other byte as it came; empty when nothing is left.
///
/// A member counts as found only when its value was compared: output that occurs
/// in the text, a file that is the text without its line numbers, a path or a
/// string that is one of the arguments. When in doubt, it stays.
std::string novel_part(const compile::json::Value& structured, std::string_view text,
                       std::string_view arguments);

}  // namespace spoor::import::claude_code
