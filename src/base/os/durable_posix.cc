#include "base/os/durable.h"

#include <fcntl.h>
#include <unistd.h>

namespace spoor::os {

#ifdef F_FULLFSYNC
const bool kFsyncIsWeak = true;
#else
const bool kFsyncIsWeak = false;
#endif

int sync_file(int file) {
#ifdef F_FULLFSYNC
  if (::fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
  return ::fsync(file);
}

int sync_data(int file) { return sync_file(file); }

}  // namespace spoor::os
