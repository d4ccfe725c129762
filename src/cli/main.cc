// The process: arguments in, exit status out. Everything else is in
// application.cc, which tests and the interactive session call as well.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cli/application.h"
#include "cli/settings/fixed_clock.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/system_terminal.h"
#include "cli/version.h"

namespace spoor::cli {
namespace {

// A file that is opened must not take the place of standard input, output or error that the caller
// has closed. Reading or writing these is an error all the same.
void hold_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int no_use = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(file, F_GETFD) < 0) (void)::open("/dev/null", no_use);
  }
}

int run(int count, char** values) {
  hold_standard_files();
  const std::vector<std::string> words(values + (count > 0 ? 1 : 0), values + count);
  install_interrupt_handler();
  std::signal(SIGXFSZ, SIG_IGN);  // Writing past the file size limit then returns an error.
  SystemTerminal terminal;
  const SystemEnvironment environment;
  const std::unique_ptr<Clock> clock = clock_from(environment);
  return run_command_line({terminal, environment, *clock}, words);
}

}  // namespace
}  // namespace spoor::cli

int main(int count, char** values) {
  try {
    return spoor::cli::run(count, values);
  } catch (const std::bad_alloc&) {
    std::fputs(
        "error: not enough memory\n"
        "hint: use a smaller part, or lower SPOOR_MAX_TEXT\n",
        stderr);
    return spoor::cli::kExitFailed;
  } catch (const std::exception& bug) {
    std::fprintf(stderr,
                 "error: a bug in spoor %.*s: %s\n"
                 "hint: please report it, with the command that was run\n",
                 static_cast<int>(spoor::cli::kVersion.size()), spoor::cli::kVersion.data(),
                 bug.what());
    return spoor::cli::kExitBug;
  }
}
