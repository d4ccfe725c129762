#pragma once

#include <string_view>

#include "import/taken.h"

namespace spoor::import::claude_code {

/// Takes the values of a tool's structured result in Claude Code (`toolUseResult`) that repeat
/// stored content: the text of the result and the `arguments` of the call (JSON, may be empty).
/// Returns true if nothing is left.
///
/// A member counts as repeated only if its value was compared: output that occurs in the text, a
/// file that is the text without its line numbers, a path or a string that is one of the arguments.
/// When in doubt, it stays.
bool take_known(const json::Value& structured, std::string_view text, std::string_view arguments,
                Taken& taken);

}  // namespace spoor::import::claude_code
