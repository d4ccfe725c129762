#include "base/os/exclusive_rename.h"

#include <cerrno>
#include <cstdio>

namespace spoor::os {

int rename_exclusive([[maybe_unused]] const char* from, [[maybe_unused]] const char* to) {
#ifdef RENAME_EXCL
  return ::renamex_np(from, to, RENAME_EXCL);
#else
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace spoor::os
