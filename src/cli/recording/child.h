#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/error.h"

// Runs other programs for a command. Each may read its standard input to the end or not, and is
// waited for.
namespace spoor::cli {

/// Returns our environment with `variables` added or replaced.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables);

/// Starts a program that reads `input` and writes to `output`, two open files. Ctrl-C ends it, as
/// does a closed pipe. Returns its process id, which must be waited for. Code::not_found if it does
/// not exist, Code::io if it cannot be run. `errors` is an open file for its errors.
Result<pid_t> start_program(std::vector<std::string> words, std::vector<std::string> environment,
                            int input, int output, int errors = 2);

/// Runs a program. `words` are its name, looked up in PATH, and its arguments, without a shell. Its
/// environment is our own with `variables` added. Its output is sent to our standard error, to keep
/// it apart from our own output. Returns its exit status; Code::not_found if the program does not
/// exist, Code::interrupted if Ctrl-C ended it, Code::invalid if another signal did, Code::io if it
/// cannot be run.
Result<int> run_program(const std::vector<std::string>& words, std::string_view input,
                        const std::vector<std::pair<std::string, std::string>>& variables);

/// Runs a shell command (`sh -c`) and returns its standard output; its errors are sent to ours.
/// Returns Code::invalid if its exit status is not 0, Code::io if it cannot be run.
Result<std::string> filter_through(const std::string& command, std::string_view input);

/// The end of a program, and all that it wrote.
struct ProgramOutput {
  int status = 0;  ///< its exit status; -1: a signal ended it
  std::string text;
};

/// Runs a program with this environment and returns its standard output; its errors are dropped.
/// Code::not_found if it does not exist, Code::interrupted if Ctrl-C ended it, Code::io if it
/// cannot be run.
Result<ProgramOutput> read_program(std::vector<std::string> words,
                                   std::vector<std::string> environment, std::string_view input);

}  // namespace spoor::cli
