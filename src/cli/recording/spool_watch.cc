#include "cli/recording/spool_watch.h"

#include <poll.h>

#include <array>

namespace spoor::cli {

SpoolWatch::SpoolWatch(const std::string& folder) {
  if (watch_) watch_.add(folder, os::FolderWatch::Wanted::moved_in);
}

bool SpoolWatch::wait(int finish) {
  constexpr int kLookAnyway = 1000;  // Milliseconds: what waits for an agent's file.
  std::array<pollfd, 2> files = {pollfd{finish, POLLIN, 0}, pollfd{watch_.file(), POLLIN, 0}};
  (void)::poll(files.data(), files.size(), kLookAnyway);
  if (watch_.file() >= 0) watch_.read([](const os::FolderWatch::Event&) { return true; });
  return (files[0].revents & (POLLHUP | POLLIN | POLLERR)) == 0;
}

}  // namespace spoor::cli
