#pragma once

#include <linux/filter.h>

#include <vector>

namespace spoor::agent::builtin {

/// The system calls that a filter allows in addition.
struct CallRules {
  bool network = false;       ///< internet sockets
  bool local_sockets = true;  ///< local sockets (AF_UNIX)
  bool truncate = true;       ///< truncate(2), if nothing else confines it
};

/// Makes a seccomp filter (Linux, Documentation/userspace-api/seccomp_filter.rst). These system
/// calls fail with EPERM: those that reach other processes, change mounts, make namespaces, load
/// code into the kernel, change the machine, or set the setuid or setgid bit of a file. clone3 and
/// openat2 fail with ENOSYS, since their flags cannot be read here; programs then use clone and
/// openat. Calls of another architecture (32-bit programs) end the process. All other calls are
/// allowed.
///
/// Returns an empty filter unless the architecture is x86-64 or aarch64.
std::vector<sock_filter> make_call_filter(const CallRules& rules);

}  // namespace spoor::agent::builtin
