#include "cli/filter.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

Error system_failed(std::string_view what) {
  return store::io_error(fmt::format("cannot {}: {}", what, std::strerror(errno)),
                         "look at the free space in the folder for temporary files");
}

Result<std::string> read_all(int from) {
  std::string text;
  std::array<char, 65'536> buffer;
  while (true) {
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return system_failed("read what the command printed");
    }
  }
}

Result<void> check_status(const std::string& command, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFEXITED(status) ? fmt::format("status {}", WEXITSTATUS(status))
                                            : fmt::format("signal {}", WTERMSIG(status));
  return store::invalid(fmt::format("'{}' ended with {}", command, how),
                        "nothing was written; run it by hand to see why");
}

}  // namespace

Result<std::string> filter_through(const std::string& command, std::string_view input) {
  // Through a file without a name, so that neither end can wait for the other.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) return system_failed("make a temporary file");
  const bool is_written = std::fwrite(input.data(), 1, input.size(), file.get()) == input.size() &&
                          std::fflush(file.get()) == 0 &&
                          ::lseek(::fileno(file.get()), 0, SEEK_SET) == 0;
  if (!is_written) return system_failed("write a temporary file");

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failed("make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(file.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string words[] = {"sh", "-c", command};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = -1;
  posix_spawnattr_t attributes;  // Unlike us, it is to end when nobody reads it.
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  errno = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (errno != 0) {
    ::close(ends[0]);
    return system_failed("run a shell");
  }

  auto text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  TRY(check_status(command, status));
  return text;
}

}  // namespace spoor::cli
