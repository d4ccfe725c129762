#pragma once

#include <span>
#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Runs one command line, `words` being all that follows the program's name, and
/// returns the exit status (error.h). Everything a user sees of a failure has
/// been printed then.
int run_command_line(const Host& host, std::span<const std::string> words);

}  // namespace spoor::cli
