#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/error.h"

namespace spoor::cli {

/// Runs a program and waits for its end: `words` are its name, looked up in PATH, and
/// its arguments; no shell reads them. It gets `input` on standard input and
/// `variables` in its environment; what it prints goes to our standard error, so that
/// our own output stays what it is.
/// Returns its exit status. Code::not_found when there is no such program,
/// Code::interrupted when it was ended by Ctrl-C, Code::invalid by another signal,
/// Code::io when it cannot be run.
Result<int> run_program(const std::vector<std::string>& words, std::string_view input,
                        const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace spoor::cli
