#include "base/os/file_birth.h"

#include <ctime>

#include <sys/stat.h>

namespace spoor::os {
namespace {

std::uint64_t born([[maybe_unused]] const struct stat& found) {
#if defined(__APPLE__)
  const timespec time = found.st_birthtimespec;
#elif defined(__FreeBSD__) || defined(__NetBSD__)
  const timespec time = found.st_birthtim;
#else
  const timespec time{};
#endif
  constexpr std::uint64_t kNanos = 1'000'000'000;
  if (time.tv_sec < 0) return 0;  // FreeBSD: the file system cannot tell.
  return static_cast<std::uint64_t>(time.tv_sec) * kNanos +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

int look_at_birth(const char* path, FileBirth& birth) {
  struct stat found {};
  if (::stat(path, &found) != 0) return -1;
  birth = {found.st_uid, static_cast<std::uint64_t>(found.st_ino), born(found)};
  return 0;
}

}  // namespace spoor::os
