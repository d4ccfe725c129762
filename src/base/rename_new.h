#pragma once

#include <string>

namespace spoor {

/// Gives the file `from` the name `to`, unless something has it. Returns 0, or the `errno` of the
/// failure: EEXIST if the name is taken. On a file system that cannot rename so, `from` may keep
/// its name as well, so the caller removes it in any case; and on one without links either, the
/// check and the renaming are two steps.
int rename_new(const std::string& from, const std::string& to);

}  // namespace spoor
