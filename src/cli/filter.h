#pragma once

#include <string>
#include <string_view>

#include "cli/error.h"

namespace spoor::cli {

/// Runs a shell command (`sh -c`), gives it `input` on standard input, and answers what it printed
/// on standard output; its errors go to ours. Code::invalid when it ends with another status than
/// 0, Code::io when it cannot be run.
Result<std::string> filter_through(const std::string& command, std::string_view input);

}  // namespace spoor::cli
