#pragma once

#include <string>
#include <vector>

#include "cli/application.h"
#include "cli/settings/fixed_clock.h"
#include "cli/terminal/memory_terminal.h"
#include "tests/cli/temporary_folder.h"

namespace spoor::test {

/// The program in a folder of its own, with a clock that moves a second with
/// each command, and nothing of the tester's environment.
struct Program {
  struct Answer {
    int status = 0;
    std::string out;
    std::string err;
  };

  TemporaryFolder folder;
  spoor::MapEnvironment environment;
  cli::FixedClock clock{Timestamp{1'900'000'000'000'000}};
  bool tty = false;
  int columns = 80;

  Program() {
    environment.working_directory = folder.path;
    environment.variables = {{"HOME", folder.path}, {"SPOOR_AUTHOR", "ada"}};
  }

  Answer operator()(const std::vector<std::string>& words, std::string input = {}) {
    cli::MemoryTerminal terminal;
    terminal.input = std::move(input);
    terminal.tty = tty;
    terminal.columns = columns;
    clock.set({clock.now().micros + 1'000'000});
    const int status = cli::run_command_line({terminal, environment, clock}, words);
    return {status, std::move(terminal.output), std::move(terminal.errors)};
  }

  /// The output of a command that must work.
  std::string out(const std::vector<std::string>& words, std::string input = {}) {
    return (*this)(words, std::move(input)).out;
  }

  /// A store with one exchange: system, user, reasoning, assistant with a call,
  /// its result, and the answer, which is edited; the user's turn is pinned.
  void make_history() {
    (*this)({"init"});
    (*this)({"system", "be brief"});
    (*this)({"user", "list the files"});
    (*this)({"think", "ls will do"});
    (*this)({"assistant", "sure", "--model", "m-1", "--calls",
             R"([{"id":"c1","name":"ls","arguments":{"path":"/tmp"}}])"});
    (*this)({"tool", "a.txt\nb.txt\n", "--call", "c1", "--name", "ls"});
    (*this)({"assistant", "two files: a.txt and b.txt"});
    (*this)({"pin", "HEAD~4", "the task"});
    (*this)({"edit", "HEAD~1", "two files"});
  }
};

}  // namespace spoor::test
