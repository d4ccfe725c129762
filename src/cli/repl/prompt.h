#pragma once

#include <vector>

#include "cli/repl/line_editor.h"
#include "cli/session.h"

namespace spoor::cli {

/// Returns the prompt: branch and short head, and the commit being viewed if it is not the head.
///
///     main 3f2a91c4>
///     main 3f2a91c4 at 9be01d77>
///     (detached) 3f2a91c4>
///     main (no commits)>
///     (no store)>
std::vector<PromptPart> prompt_for(Session& session);

/// Returns the prompt for further lines of an incomplete input.
std::vector<PromptPart> continuation_prompt();

}  // namespace spoor::cli
