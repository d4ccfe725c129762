#include "base/os/beneath.h"

#include <cerrno>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace spoor::os {
namespace {

// How often a resolution is retried if something was renamed meanwhile (EAGAIN).
constexpr int kTries = 100;

}  // namespace

const int kFolderFlags = O_PATH | O_DIRECTORY;

int open_beneath(int folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  for (int i = 0; i < kTries; ++i) {
    opened = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (opened >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return static_cast<int>(opened);
}

int stat_beneath(int folder, const std::string& path, struct stat& found) {
  const Descriptor place(open_beneath(folder, path, O_PATH));
  return place ? ::fstat(place.number(), &found) : -1;
}

std::string path_of(int folder) {
  const std::string link = "/proc/self/fd/" + std::to_string(folder);
  std::string path(4096, '\0');  // No path of the kernel is longer.
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return path;
}

}  // namespace spoor::os
