#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/scripted.h"

namespace spoor::llm {

/// Reads the text of a script: each line is the body of a reply in any provider's format; empty
/// lines are skipped. Returns Code::invalid with the number of a line that is not a reply. `name`
/// is the script's, for that message.
Result<std::vector<ScriptedAnswer>> read_script(std::string_view text, std::string_view name);

/// Makes a script that answers by position: a request which contains n answers gets number n + 1,
/// in every process and after every undo. A script of one answer repeats it.
ScriptedProvider::Script script_of(std::vector<ScriptedAnswer> answers);

}  // namespace spoor::llm
