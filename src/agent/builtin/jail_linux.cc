// The work of a Jail (sandbox.h) in the child.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>

#include "agent/builtin/sandbox.h"

namespace spoor::agent::builtin {
namespace {

// The capabilities that root keeps: rights over files, limited by Landlock and the mounts.
constexpr std::uint64_t kKept = (1U << CAP_CHOWN) | (1U << CAP_DAC_OVERRIDE) | (1U << CAP_FOWNER) |
                                (1U << CAP_FSETID) | (1U << CAP_KILL) | (1U << CAP_SETGID) |
                                (1U << CAP_SETUID);
constexpr int kMostCapabilities = 64;

int write_text(const char* path, std::string_view text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t count = ::write(file, text.data(), text.size());
  const int problem = count < 0 ? errno : 0;
  ::close(file);
  return problem;
}

int drop_capabilities() {
  for (int i = 0; i < kMostCapabilities; ++i) {
    // Fails for unknown capabilities and without permission: then exec gives them back to root.
    if ((kKept >> i & 1U) == 0) ::prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return errno;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto kept = static_cast<std::uint32_t>(kKept >> (32 * i));
    sets[i].permitted &= kept;
    sets[i].effective &= kept;
    sets[i].inheritable = 0;
  }
  return ::syscall(SYS_capset, &header, sets.data()) == 0 ? 0 : errno;
}

int enter_filter(const std::vector<FilterStep>& filter) {
  // The kernel only reads it, and call_filter.h lays it out as its own.
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           reinterpret_cast<sock_filter*>(const_cast<FilterStep*>(filter.data()))};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

}  // namespace

pid_t clone_process(unsigned long flags) noexcept {
  return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

unsigned long namespace_flags(bool network, bool of_user) noexcept {
  unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC;
  if (!network) flags |= CLONE_NEWNET;
  if (of_user) flags |= CLONE_NEWUSER;
  return flags;
}

// The map files belong to root while the process is not dumpable.
int Jail::name_user() const noexcept {
  if (user_map_.empty()) return 0;
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  int problem = write_text("/proc/self/setgroups", "deny");
  if (problem == 0) problem = write_text("/proc/self/uid_map", user_map_);
  if (problem == 0) problem = write_text("/proc/self/gid_map", group_map_);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return problem;
}

int Jail::enter() const noexcept {
  if (flags_ == 0) return 0;
  // Other processes must not read our remaining memory.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (const int problem = name_user()) return problem;
  return tree_.build();
}

int Jail::confine() const noexcept {
  if (const int problem = drop_capabilities()) return problem;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (landlock_ > 0) {
    // Paths outside the ruled folders: the process list, and memory.
    for (const char* path : {"/proc", kMemory}) {
      if (flags_ == 0 && path == kMemory) break;
      const int file = ::open(path, O_PATH | O_CLOEXEC);
      if (file < 0) continue;
      const int problem =
          add_landlock(rules_.number(), landlock_, file,
                       path == kMemory ? LandlockRule::May::write : LandlockRule::May::read);
      ::close(file);
      if (problem != 0) return problem;
    }
    if (const int problem = enter_landlock(rules_.number())) return problem;
  }
  return filter_.empty() ? 0 : enter_filter(filter_);
}

}  // namespace spoor::agent::builtin
