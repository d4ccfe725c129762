#include "base/os/durable.h"

#include <unistd.h>

namespace spoor::os {

const bool kFsyncIsWeak = false;

int sync_file(int file) { return ::fsync(file); }
int sync_data(int file) { return ::fdatasync(file); }

}  // namespace spoor::os
