#pragma once

#include <string>

#include <sys/stat.h>

namespace spoor::os {

/// Opens a path below an open folder. The path is relative; `..` and symbolic links are followed as
/// long as they stay below the folder, whatever others rename meanwhile. The file is closed on
/// exec. Returns -1 and sets errno: EXDEV if the path leads out, ELOOP after too many links.
///
/// Linux: openat2(2) resolves it, without links of /proc; ENOSYS before Linux 5.6. Elsewhere each
/// component is opened by itself and links are read here. `..` returns to the folder from which the
/// last one was entered: a folder that was moved out meanwhile does not lead out.
int open_beneath(int folder, const std::string& path, int flags);

/// Like open_beneath(), but only looks at the file. Returns 0, or -1 and sets errno. It opens
/// nothing that has an effect when it is closed, such as the end of this process's locks.
int stat_beneath(int folder, const std::string& path, struct stat& found);

/// The flags of open(2) for a folder in which other files are opened. Linux: O_PATH, for which the
/// folder need not be readable; elsewhere it must be.
extern const int kFolderFlags;

/// Returns the absolute path of an open folder, without symbolic links; empty, with errno, if the
/// system cannot tell. Linux: also of an open file, by /proc. Elsewhere: F_GETPATH of macOS, or the
/// names by which the folders above list it, which must be readable.
std::string path_of(int folder);

}  // namespace spoor::os
