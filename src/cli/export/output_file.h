#pragma once

#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Writes what a person asked for into the file that they named; `-` is standard output. A regular
/// file is replaced in one step, where a link leads to it, and a device or a pipe is written to.
/// Returns Code::io, also if the folder does not exist.
Result<void> write_output(Session& session, const std::string& path, const std::string& text);

}  // namespace spoor::cli
