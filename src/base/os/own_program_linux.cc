#include "base/os/own_program.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace spoor::os {

std::string own_program() {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem);
  errno = problem.value();
  return program.string();
}

}  // namespace spoor::os
