#pragma once

#include <span>
#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Runs one command line and returns the exit status (error.h). `words` are all words after the
/// program's name. Has reported any failure to the user on return.
int run_command_line(const Host& host, std::span<const std::string> words);

}  // namespace spoor::cli
