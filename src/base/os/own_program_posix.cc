#include "base/os/own_program.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace spoor::os {
namespace {

// Returns a path of the program, with links; empty: unknown.
std::string found_program() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return path.c_str();
#else
  for (const char* link : {"/proc/self/exe", "/proc/curproc/exe", "/proc/curproc/file"}) {
    std::error_code problem;
    const auto program = std::filesystem::read_symlink(link, problem);
    if (!problem) return program.string();
  }
  return {};
#endif
}

}  // namespace

std::string own_program() {
  const std::string path = found_program();
  std::error_code problem;
  const auto real = std::filesystem::canonical(path, problem);
  errno = path.empty() ? ENOSYS : problem.value();
  return problem ? std::string() : real.string();
}

}  // namespace spoor::os
