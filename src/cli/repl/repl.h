#pragma once

#include "cli/session.h"

namespace spoor::cli {

/// The interactive session: `spoor` alone. At a terminal a person types lines, which
/// are run one after the other over one opened store; anything else on standard
/// input is run as a script, without prompt, colour or pager. `globals` are the
/// options given to the program, and hold for every line.
///
/// Session::status() is then 0 for a person, and for a script the status of the
/// first line that failed.
void run_repl(Session& session, const Arguments& globals);

}  // namespace spoor::cli
