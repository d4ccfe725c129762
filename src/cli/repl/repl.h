#pragma once

#include "cli/session.h"

namespace spoor::cli {

/// Runs the interactive session: `spoor` without a verb. At a terminal, a person types lines, which
/// run one after the other over one opened store. Any other standard input runs as a script,
/// without prompt, colour or pager. `globals` are the program's options, which apply to every line.
///
/// Session::status() is then 0 for a person, and for a script the status of the first line that
/// failed.
void run_repl(Session& session, const Arguments& globals);

}  // namespace spoor::cli
