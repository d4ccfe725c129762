#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace spoor::store {

/// How a program ended, and what it wrote to both of its outputs.
struct ProgramRun {
  int status = 0;
  std::string output;
};

/// Runs a program found on the path and waits for it. Nothing when there is none.
inline std::optional<ProgramRun> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);

  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  ProgramRun run;
  std::array<char, 4'096> buffer;
  for (ssize_t got; (got = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;) {
    run.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(pipe_ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return std::nullopt;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (run.status == 127) return std::nullopt;
  return run;
}

}  // namespace spoor::store
