#pragma once

namespace spoor::os {

/// Renames a file unless something has the new name, in one step. Returns 0, or -1 and sets errno:
/// EEXIST if the name is taken, ENOSYS or another if the system or the file system cannot do it
/// (base/rename_new.h then finds another way). Linux: renameat2(2); macOS: renamex_np(2).
int rename_exclusive(const char* from, const char* to);

}  // namespace spoor::os
