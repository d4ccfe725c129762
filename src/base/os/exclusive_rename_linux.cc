#include "base/os/exclusive_rename.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spoor::os {

// As a system call: musl has no function for it.
int rename_exclusive(const char* from, const char* to) {
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE));
}

}  // namespace spoor::os
