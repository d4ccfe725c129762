#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/builtin/deadline.h"
#include "base/result.h"

namespace spoor::agent::builtin {

class Jail;

/// A program to be run.
struct Process {
  std::vector<std::string>
      argv;  ///< one or more; the first is looked up in PATH unless it has a slash
  std::vector<std::pair<std::string, std::string>> environment;  ///< all of it
  int folder = -1;                                               ///< an open folder to run in
  int input = -1;              ///< an open file that it reads; -1: it reads nothing
  int errors = -1;             ///< an open file for its errors; -1: they go with its output
  const Jail* jail = nullptr;  ///< what confines it (sandbox.h); null: nothing does
};

/// How it ended.
struct Ended {
  int exit_code = -1;     ///< -1: a signal ended it
  int signal = 0;         ///< 0: none did
  bool was_late = false;  ///< it was ended because its time was over
  bool was_stopped = false;
  std::chrono::milliseconds duration{0};
};

/// Runs a program without a shell and hands what it prints (output and errors in one stream) to
/// `sink`, on the calling thread. It reads `input` or nothing (/dev/null), has no terminal, no open
/// files of ours and no signal ignored or blocked, and is a session and process group of its own.
///
/// At the deadline the group gets SIGTERM and, kTerminationGrace later, SIGKILL. When the program
/// itself has ended, what it left running has kOutputGrace to close its output and is killed then:
/// nothing of its group outlives the call. In a jail with namespaces nothing it started does, and
/// all of it dies with our process. Without, a process that made itself a session of its own gets
/// away and is not waited for; when our process dies, the program is killed (not what it started).
///
/// Code::not_found when there is no such program, denied when it may not be run, io, also when the
/// jail could not be entered.
Result<Ended> run_process(const Process& process, const Deadline& deadline,
                          const std::function<void(std::string_view)>& sink);

constexpr std::chrono::milliseconds kTerminationGrace{30};
constexpr std::chrono::milliseconds kOutputGrace{200};

}  // namespace spoor::agent::builtin
