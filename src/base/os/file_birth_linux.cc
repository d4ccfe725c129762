#include "base/os/file_birth.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace spoor::os {

int look_at_birth(const char* path, FileBirth& birth) {
  struct statx found {};
  if (::statx(AT_FDCWD, path, 0, STATX_INO | STATX_UID | STATX_BTIME, &found) != 0) return -1;
  constexpr std::uint64_t kNanos = 1'000'000'000;
  birth = {found.stx_uid, found.stx_ino, 0};
  if ((found.stx_mask & STATX_BTIME) != 0) {
    birth.born =
        static_cast<std::uint64_t>(found.stx_btime.tv_sec) * kNanos + found.stx_btime.tv_nsec;
  }
  return 0;
}

}  // namespace spoor::os
