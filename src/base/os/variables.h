#pragma once

namespace spoor::os {

/// Returns the environment variables of this process, `NAME=value` each, up to a null pointer: what
/// POSIX calls `environ`, which a library on macOS cannot name.
char** variables();

}  // namespace spoor::os
