#pragma once

#include <linux/filter.h>

#include <vector>

namespace spoor::agent::builtin {

/// What a filter of system calls lets through, beyond what is denied always.
struct CallRules {
  bool network = false;       ///< sockets of the internet
  bool local_sockets = true;  ///< sockets with a name of their own (AF_UNIX)
  bool truncate = true;       ///< truncate(2), where nothing else confines it
};

/// A seccomp filter (Linux, Documentation/userspace-api/seccomp_filter.rst) that lets every system
/// call through but those that reach other processes, change what is mounted, make namespaces, load
/// code into the kernel, change the machine, or give a file the bits setuid or setgid: these fail
/// with EPERM. clone3 and openat2 fail with ENOSYS, since their flags cannot be read here; programs
/// use clone and openat then. Calls of another
/// architecture (32-bit programs) end the process.
///
/// Empty where the architecture is neither x86-64 nor aarch64.
std::vector<sock_filter> make_call_filter(const CallRules& rules);

}  // namespace spoor::agent::builtin
