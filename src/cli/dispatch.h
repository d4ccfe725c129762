#pragma once

#include <span>
#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Runs one command line in `session`, by the one table. `words` are all words after the program's
/// name. `globals` are the options before them in another place; they apply unless the line
/// overrides them. On return, failures have been reported to the user and all output is flushed;
/// Session::status() has the exit status.
void dispatch(Session& session, std::span<const std::string> words, const Arguments& globals = {});

}  // namespace spoor::cli
