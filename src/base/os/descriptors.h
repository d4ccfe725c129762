#pragma once

#include <string>

namespace spoor::os {

/// Closes the descriptors from `first` on at the next exec. Between fork and exec: allocates
/// nothing. Linux: close_range(2), from Linux 5.11 on; does nothing before. Elsewhere: one call for
/// each descriptor that the process may have.
void close_on_exec_from(int first);

/// Closes the descriptors from `first` on. As above; close_range() from Linux 5.9 on.
void close_from(int first);

/// Opens a file without a name, for reading and writing, in a folder. Closed on exec. Returns -1
/// and sets errno. Linux: O_TMPFILE; elsewhere, and on file systems without that, it has a name for
/// a moment.
int open_unnamed(const std::string& folder);

/// Opens a file without a name that is in memory: memfd_create(2). Elsewhere than on Linux it is in
/// TMPDIR, so its bytes may reach a disk. Closed on exec. Returns -1 and sets errno.
int open_in_memory(const char* name);

}  // namespace spoor::os
