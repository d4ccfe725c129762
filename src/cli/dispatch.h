#pragma once

#include <span>
#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Runs one command line in `session`, by the one table: `words` are all that
/// follows the program's name, `globals` the options that stood before them in
/// another place and hold where the line does not say otherwise. Whatever a user
/// sees of a failure has been printed then, and all output is out;
/// Session::status() tells how it went.
void dispatch(Session& session, std::span<const std::string> words, const Arguments& globals = {});

}  // namespace spoor::cli
