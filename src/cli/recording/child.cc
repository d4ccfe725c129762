#include "cli/recording/child.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/os/variables.h"

namespace spoor::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Error cannot(std::string_view what, int problem) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)),
                  "check the free space in the folder for temporary files");
}

// A file without a name, so that neither side can wait for the other.
Result<File> nameless_file() {
  File file(std::tmpfile(), std::fclose);
  if (!file) return cannot("make a temporary file", errno);
  return file;
}

Result<File> file_with(std::string_view bytes) {
  File file = TRY(nameless_file());
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0 || ::lseek(::fileno(file.get()), 0, SEEK_SET) != 0) {
    return cannot("write a temporary file", errno);
  }
  return file;
}

// Whoever wrote it had a descriptor of the same open file, whose position is now at the end.
Result<std::string> read_all(const File& file) {
  std::string text;
  std::array<char, 65'536> buffer;
  while (true) {
    const ssize_t count = ::pread(::fileno(file.get()), buffer.data(), buffer.size(),
                                  static_cast<off_t>(text.size()));
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return cannot("read what the command printed", errno);
    }
  }
}

// Our own environment with `variables` in place of those of the same name.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs a program with `input` to read and `output` to write, and returns how it ended, as waitpid()
// puts it.
Result<int> run(std::vector<std::string> words, std::vector<std::string> environment,
                std::string_view input, int output, int errors = STDERR_FILENO) {
  const File file = TRY(file_with(input));
  const std::string name = words.front();
  const pid_t child = TRY(start_program(std::move(words), std::move(environment),
                                        ::fileno(file.get()), output, errors));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return cannot(fmt::format("wait for '{}'", name), errno);
  }
  return status;
}

}  // namespace

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = os::variables(); *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_ours = std::any_of(variables.begin(), variables.end(),
                                     [&](const auto& variable) { return variable.first == name; });
    if (!is_ours) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

Result<pid_t> start_program(std::vector<std::string> words, std::vector<std::string> environment,
                            int input, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGPIPE, SIGQUIT, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int problem = ::posix_spawnp(&child, words.front().c_str(), &actions, &attributes,
                                     pointers_to(words).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem == ENOENT || problem == EACCES) {
    return not_found(fmt::format("cannot run '{}': {}", words.front(), std::strerror(problem)),
                     "name a program; for shell words: sh -c '…'");
  }
  if (problem != 0) return cannot(fmt::format("run '{}'", words.front()), problem);
  return child;
}

Result<int> run_program(const std::vector<std::string>& words, std::string_view input,
                        const std::vector<std::pair<std::string, std::string>>& variables) {
  const int status = TRY(run(words, environment_with(variables), input, STDERR_FILENO));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGINT) return interrupted("interrupted");
  return invalid(fmt::format("'{}' was ended by signal {}", words.front(), WTERMSIG(status)),
                 "it must exit with a status: 0 good, 125 unknown, 1 to 124 bad");
}

Result<std::string> filter_through(const std::string& command, std::string_view input) {
  const File output = TRY(nameless_file());
  const int status =
      TRY(run({"/bin/sh", "-c", command}, environment_with({}), input, ::fileno(output.get())));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return read_all(output);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return interrupted("interrupted");
  const std::string how = WIFEXITED(status) ? fmt::format("status {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  return invalid(fmt::format("'{}' ended with {}", command, how),
                 "nothing was written; run it by hand to see why");
}

Result<ProgramOutput> read_program(std::vector<std::string> words,
                                   std::vector<std::string> environment, std::string_view input) {
  const File output = TRY(nameless_file());
  const File errors = TRY(nameless_file());
  const int status = TRY(run(std::move(words), std::move(environment), input,
                             ::fileno(output.get()), ::fileno(errors.get())));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return interrupted("interrupted");
  return ProgramOutput{WIFEXITED(status) ? WEXITSTATUS(status) : -1, TRY(read_all(output))};
}

}  // namespace spoor::cli
