#include "base/rename_new.h"

#include <cerrno>
#include <cstdio>

#include <sys/stat.h>
#include <unistd.h>

#include "base/os/exclusive_rename.h"

namespace spoor {

int rename_new(const std::string& from, const std::string& to) {
  if (os::rename_exclusive(from.c_str(), to.c_str()) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  if (link(from.c_str(), to.c_str()) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  struct stat found {};
  if (lstat(to.c_str(), &found) == 0) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace spoor
