#pragma once

#include <string>

namespace spoor::os {

/// Returns the absolute path of the program that runs, without symbolic links; empty, with errno,
/// if the system cannot tell. Linux: /proc/self/exe. Elsewhere: _NSGetExecutablePath of macOS, or
/// the link in /proc that the system has.
std::string own_program();

}  // namespace spoor::os
