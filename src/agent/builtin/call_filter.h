#pragma once

#include <cstdint>

#include <vector>

namespace spoor::agent::builtin {

/// The system calls that a filter allows in addition.
struct CallRules {
  bool network = false;       ///< internet sockets
  bool local_sockets = true;  ///< local sockets (AF_UNIX)
  bool truncate = true;       ///< truncate(2), if nothing else confines it
};

/// An instruction of a filter: the kernel's sock_filter.
struct FilterStep {
  std::uint16_t code = 0;
  std::uint8_t if_true = 0;  ///< how many instructions to skip
  std::uint8_t if_false = 0;
  std::uint32_t value = 0;
};

/// Makes a seccomp filter (Linux, Documentation/userspace-api/seccomp_filter.rst). These system
/// calls fail with EPERM: those that reach other processes, change mounts, make namespaces, load
/// code into the kernel, change the machine, or set the setuid or setgid bit of a file. clone3 and
/// openat2 fail with ENOSYS, since their flags cannot be read here; programs then use clone and
/// openat. Calls of another architecture (32-bit programs) end the process. All other calls are
/// allowed.
///
/// Returns an empty filter unless the system is Linux on x86-64 or aarch64.
std::vector<FilterStep> make_call_filter(const CallRules& rules);

}  // namespace spoor::agent::builtin
