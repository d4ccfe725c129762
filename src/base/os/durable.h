#pragma once

namespace spoor::os {

/// Returns when the bytes of an open file are on its disk; sync_data() need not wait for its times.
/// 0, or -1 and errno. Linux: fsync(2) and fdatasync(2). Elsewhere both are fsync, on macOS with
/// F_FULLFSYNC where the file system has it: fsync alone leaves the bytes to the disk's cache there
/// (fsync(2) of macOS).
int sync_file(int file);
int sync_data(int file);

/// True where fsync(2) may leave bytes in the disk's cache: macOS. For other code that calls it.
extern const bool kFsyncIsWeak;

}  // namespace spoor::os
