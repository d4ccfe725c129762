#include "cli/predicate.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Error cannot(std::string_view what, int problem) {
  return store::io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)),
                         "look at the free space in the folder for temporary files");
}

// A file without a name, so that neither side can wait for the other.
Result<File> file_with(std::string_view bytes) {
  File file(std::tmpfile(), std::fclose);
  if (!file) return cannot("make a temporary file", errno);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0 || ::lseek(::fileno(file.get()), 0, SEEK_SET) != 0) {
    return cannot("write a temporary file", errno);
  }
  return file;
}

// Our own environment with `variables` in place of those of the same name.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool is_ours = false;
    for (const auto& [name, value] : variables) {
      is_ours = is_ours || text.starts_with(name + "=");
    }
    if (!is_ours) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<int> run_program(const std::vector<std::string>& words, std::string_view input,
                        const std::vector<std::pair<std::string, std::string>>& variables) {
  const File file = TRY(file_with(input));
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = environment_with(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(file.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGPIPE, SIGQUIT}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int problem =
      ::posix_spawnp(&child, arguments.front().c_str(), &actions, &attributes,
                     pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem == ENOENT || problem == EACCES) {
    return store::not_found(
        fmt::format("cannot run '{}': {}", words.front(), std::strerror(problem)),
        "name a program; for shell words: sh -c '…'");
  }
  if (problem != 0) return cannot(fmt::format("run '{}'", words.front()), problem);

  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return cannot(fmt::format("wait for '{}'", words.front()), errno);
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGINT) return store::interrupted("interrupted");
  return store::invalid(fmt::format("'{}' was ended by signal {}", words.front(), WTERMSIG(status)),
                        "only an exit status says good or bad; 125 means that it cannot be told");
}

}  // namespace spoor::cli
