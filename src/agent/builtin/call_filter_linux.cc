#include "agent/builtin/call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace spoor::agent::builtin {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kOurs = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kOurs = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kOurs = 0;
#endif

static_assert(sizeof(FilterStep) == sizeof(sock_filter) &&
              offsetof(FilterStep, value) == offsetof(sock_filter, k) &&
              offsetof(FilterStep, if_true) == offsetof(sock_filter, jt));

constexpr std::uint32_t kForeignNumbers = 0x40000000;  // x32 calls on x86-64.
constexpr std::uint32_t kNewNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                         CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr std::uint32_t kNewTime = 0x80;  // CLONE_NEWTIME, a flag of unshare only.

// Numbers of 424 and above are the same on every architecture.
constexpr auto kDenied = std::to_array<long>({
  // Other processes.
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, 438L /* pidfd_getfd */,
      440L /* process_madvise */,
      // Mounts and namespaces.
      SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, 428L /* open_tree */,
      429L /* move_mount */, 430L /* fsopen */, 431L /* fsconfig */, 432L /* fsmount */,
      433L /* fspick */, 442L /* mount_setattr */, 467L /* open_tree_attr */,
      // Access to files without their paths.
      SYS_open_by_handle_at, SYS_fanotify_init, 425L /* io_uring_setup */,
      426L /* io_uring_enter */, 427L /* io_uring_register */,
      // The kernel and the machine.
      SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
      SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module,
      SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, 443L /* quotactl_fd */,
      SYS_syslog, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
      SYS_sethostname, SYS_setdomainname, SYS_vhangup,
#if defined(__x86_64__)
      SYS_iopl, SYS_ioperm,
#endif
});

// A list of instructions under construction. Each rule is a test that skips its own return.
class Filter {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  // Loads the low half of an argument; both architectures are little endian.
  void load_argument(std::size_t index) {
    load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
  }
  void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  void deny(int problem) { answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(problem)); }

  // Skips the next `skipped` instructions unless the loaded value is, or has, `value`.
  void unless_equal(std::uint32_t value, std::uint8_t skipped) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
  }
  void if_equal(std::uint32_t value, std::uint8_t skipped) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, skipped, 0);
  }
  void unless_any_bit(std::uint32_t bits, std::uint8_t skipped) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skipped);
  }
  void unless_at_least(std::uint32_t value, std::uint8_t skipped) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, skipped);
  }

  void deny_call(long number, int problem) {
    unless_equal(static_cast<std::uint32_t>(number), 1);
    deny(problem);
  }

  // Denies a call whose first argument is flags with one of `bits`.
  void deny_namespaces(long number, std::uint32_t bits) {
    unless_equal(static_cast<std::uint32_t>(number), 4);
    load_argument(0);
    unless_any_bit(bits, 1);
    deny(EPERM);
    answer(SECCOMP_RET_ALLOW);
  }

  // Denies a call whose first argument is a socket family, except `families`.
  void allow_families(long number, const std::vector<std::uint32_t>& families) {
    const auto last = static_cast<std::uint8_t>(families.size() + 3);
    unless_equal(static_cast<std::uint32_t>(number), last);
    load_argument(0);
    for (std::size_t i = 0; i < families.size(); ++i) {
      if_equal(families[i], static_cast<std::uint8_t>(families.size() - i));
    }
    deny(EPERM);
    answer(SECCOMP_RET_ALLOW);
  }

  // Denies a call whose argument `mode` sets the setuid or setgid bit.
  void deny_set_id(long number, std::size_t mode) {
    unless_equal(static_cast<std::uint32_t>(number), 4);
    load_argument(mode);
    unless_any_bit(S_ISUID | S_ISGID, 1);
    deny(EPERM);
    answer(SECCOMP_RET_ALLOW);
  }

  // As above for a call that uses `mode` only if its flags create a file.
  void deny_set_id(long number, std::size_t mode, std::size_t flags) {
    unless_equal(static_cast<std::uint32_t>(number), 6);
    load_argument(flags);
    unless_any_bit(O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 3);
    load_argument(mode);
    unless_any_bit(S_ISUID | S_ISGID, 1);
    deny(EPERM);
    answer(SECCOMP_RET_ALLOW);
  }

  std::vector<FilterStep> take() { return std::move(code_); }

 private:
  void add(int code, std::uint32_t value, std::uint8_t is_so = 0, std::uint8_t is_not = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), is_so, is_not, value});
  }

  std::vector<FilterStep> code_;
};

}  // namespace

std::vector<FilterStep> make_call_filter(const CallRules& rules) {
  if (kOurs == 0) return {};
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_equal(kOurs, 1);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load_number();
  filter.unless_at_least(kForeignNumbers, 1);
  filter.deny(ENOSYS);
  for (const long number : kDenied) filter.deny_call(number, EPERM);
  if (!rules.truncate) filter.deny_call(SYS_truncate, EPERM);
  filter.deny_call(435 /* clone3 */, ENOSYS);
  filter.deny_call(437 /* openat2 */, ENOSYS);
  filter.deny_set_id(SYS_fchmod, 1);
  filter.deny_set_id(SYS_fchmodat, 2);
  filter.deny_set_id(452 /* fchmodat2 */, 2);
  filter.deny_set_id(SYS_mknodat, 2);
  filter.deny_set_id(SYS_openat, 3, 2);
#if defined(__x86_64__)
  filter.deny_set_id(SYS_chmod, 1);
  filter.deny_set_id(SYS_mknod, 1);
  filter.deny_set_id(SYS_creat, 1);
  filter.deny_set_id(SYS_open, 2, 1);
#endif
  filter.deny_namespaces(SYS_unshare, kNewNamespaces | kNewTime);
  filter.deny_namespaces(SYS_clone, kNewNamespaces);
  std::vector<std::uint32_t> families;
  if (rules.local_sockets) families.push_back(AF_UNIX);
  if (rules.network) families.insert(families.end(), {AF_INET, AF_INET6, AF_NETLINK});
  filter.allow_families(SYS_socket, families);
  filter.allow_families(SYS_socketpair, {AF_UNIX});
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.take();
}

}  // namespace spoor::agent::builtin
