#include "cli/spool_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>

namespace spoor::cli {

SpoolWatch::SpoolWatch(const std::string& folder)
    : file_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (file_) ::inotify_add_watch(file_.number(), folder.c_str(), IN_MOVED_TO);
}

bool SpoolWatch::wait(int finish) const {
  constexpr int kLookAnyway = 1000;  // Milliseconds: what waits for an agent's file.
  std::array<pollfd, 2> files = {pollfd{finish, POLLIN, 0}, pollfd{file_.number(), POLLIN, 0}};
  (void)::poll(files.data(), files.size(), kLookAnyway);
  std::array<char, 4096> events{};
  while (file_ && ::read(file_.number(), events.data(), events.size()) > 0) {
  }
  return (files[0].revents & (POLLHUP | POLLIN | POLLERR)) == 0;
}

}  // namespace spoor::cli
