#pragma once

#include <vector>

#include "cli/repl/line_editor.h"
#include "cli/session.h"

namespace spoor::cli {

/// What stands before a line: branch and short head, and where one looks when that
/// is not the present.
///
///     main 3f2a91c4>
///     main 3f2a91c4 at 9be01d77>
///     (detached) 3f2a91c4>
///     main (no commits)>
///     (no store)>
std::vector<PromptPart> prompt_for(Session& session);

/// What stands before the lines of an input that has begun and is not complete.
std::vector<PromptPart> continuation_prompt();

}  // namespace spoor::cli
