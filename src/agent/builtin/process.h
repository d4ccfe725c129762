#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/builtin/deadline.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace spoor::agent::builtin {

class Jail;

/// A program to run.
struct Process {
  std::vector<std::string>
      argv;  ///< one or more; the first is looked up in PATH unless it has a slash
  std::vector<std::pair<std::string, std::string>> environment;  ///< all variables
  int folder = -1;                                               ///< an open folder to run in
  int input = -1;              ///< an open file or pipe for its input; -1: empty input
  const Jail* jail = nullptr;  ///< its confinement (sandbox.h); null: none
};

/// Receives what a program prints, on the thread that runs it.
struct ProcessEvents {
  std::function<void(std::string_view)> output;
  std::function<void(std::string_view)> errors;  ///< empty: errors are part of the output
  std::function<void()> started;                 ///< called once the program runs; may be empty
};

/// Makes a file in memory with these bytes, to be read from its beginning, for a program's input.
/// It has no name, so on Linux its bytes reach no disk (base/os/descriptors.h). Returns Code::io.
Result<Descriptor> memory_file(std::string_view bytes);

/// The end of a process.
struct Ended {
  int exit_code = -1;     ///< -1: ended by a signal
  int signal = 0;         ///< 0: none
  bool was_late = false;  ///< ended because its time was over
  bool was_stopped = false;
  std::chrono::milliseconds duration{0};
};

/// Runs a program without a shell until it ends. The program reads `input` or nothing (/dev/null),
/// has no terminal, no open files of ours and no ignored or blocked signals, and is its own session
/// and process group.
///
/// At the deadline the group gets SIGTERM and, kTerminationGrace later, SIGKILL. After the program
/// itself has ended, processes that it left running have kOutputGrace to close its output, then
/// they are killed: nothing of its group outlives the call. In a jail with namespaces this applies
/// to every process it started, and all of them die with our process. Without namespaces, a process
/// that made its own session escapes and is not waited for; if our process dies, the program is
/// killed, but not its children.
///
/// Returns Code::not_found if there is no such program, Code::denied if it may not be run, and
/// Code::io, also if the jail could not be entered.
Result<Ended> run_process(const Process& process, const Deadline& deadline,
                          const ProcessEvents& events);

constexpr std::chrono::milliseconds kTerminationGrace{30};
constexpr std::chrono::milliseconds kOutputGrace{200};

}  // namespace spoor::agent::builtin
