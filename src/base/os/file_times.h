#pragma once

#include <sys/stat.h>

#include <ctime>

namespace spoor::os {

/// Returns when a file was last written: `st_mtim` of POSIX, `st_mtimespec` on macOS.
timespec written_at(const struct stat& found);

/// Returns when a file or what is known of it (owner, mode, names) last changed: `st_ctim`.
timespec changed_at(const struct stat& found);

}  // namespace spoor::os
