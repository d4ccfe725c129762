#include "base/os/file_times.h"

namespace spoor::os {

timespec written_at(const struct stat& found) {
#ifdef __APPLE__
  return found.st_mtimespec;
#else
  return found.st_mtim;
#endif
}

timespec changed_at(const struct stat& found) {
#ifdef __APPLE__
  return found.st_ctimespec;
#else
  return found.st_ctim;
#endif
}

}  // namespace spoor::os
