#pragma once

#include <cstdint>

#include <sys/types.h>

namespace spoor::os {

/// Whose a file is, and what no copy of it has.
struct FileBirth {
  uid_t owner = 0;
  std::uint64_t inode = 0;
  std::uint64_t born = 0;  ///< nanoseconds since 1970; 0: the file system or the system cannot tell
};

/// Looks at the file that a path leads to. Returns 0, or -1 and sets errno. Linux: statx(2);
/// elsewhere the birth is known on macOS, FreeBSD and NetBSD.
int look_at_birth(const char* path, FileBirth& birth);

}  // namespace spoor::os
