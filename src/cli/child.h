#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/error.h"

// Other programs, run on behalf of a command: each reads what it is given on standard input, to its
// end or not, and is waited for.
namespace spoor::cli {

/// Runs a program: `words` are its name, looked up in PATH, and its arguments; no shell reads them.
/// It gets `variables` in its environment beside our own; what it prints goes to our standard
/// error, so that our own output stays what it is.
/// Returns its exit status. Code::not_found when there is no such program, Code::interrupted when
/// it was ended by Ctrl-C, Code::invalid by another signal, Code::io when it cannot be run.
Result<int> run_program(const std::vector<std::string>& words, std::string_view input,
                        const std::vector<std::pair<std::string, std::string>>& variables);

/// Runs a shell command (`sh -c`) and answers what it printed on standard output; its errors go to
/// ours. Code::invalid when it ends with another status than 0, Code::io when it cannot be run.
Result<std::string> filter_through(const std::string& command, std::string_view input);

}  // namespace spoor::cli
