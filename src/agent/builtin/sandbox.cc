#include "agent/builtin/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "agent/builtin/call_filter.h"
#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSystem = {"/usr",
                                "/bin",
                                "/sbin",
                                "/lib",
                                "/lib32",
                                "/lib64",
                                "/libx32",
                                "/etc",
                                "/opt",
                                "/nix/store",
                                "/sys/devices/system/cpu"};
constexpr std::array kDevices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                 "/dev/urandom"};
constexpr const char* kMemory = "/dev/shm";

// The capabilities that root keeps: rights over files, limited by Landlock and the mounts.
constexpr std::uint64_t kKept = (1U << CAP_CHOWN) | (1U << CAP_DAC_OVERRIDE) | (1U << CAP_FOWNER) |
                                (1U << CAP_FSETID) | (1U << CAP_KILL) | (1U << CAP_SETGID) |
                                (1U << CAP_SETUID);
constexpr int kMostCapabilities = 64;

Error cannot(std::string_view what, int problem) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)));
}

// Returns `path` without symbolic links; empty if it does not exist.
std::string real_path(const std::string& path) {
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  return problem ? std::string() : real.string();
}

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

int enter_filter(const std::vector<sock_filter>& filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

// Reports whether a child can enter the jail. Starts no program.
bool can_be_entered(const Jail& jail) {
  const pid_t child = clone_process(jail.flags());
  if (child == 0) ::_exit(jail.enter() == 0 && jail.confine() == 0 ? 0 : 1);
  if (child < 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

pid_t clone_process(unsigned long flags) noexcept {
  return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

std::string Confinement::text() const {
  std::string text = landlock > 0 ? fmt::format("Landlock {}", landlock) : "";
  const auto add = [&](bool is_there, std::string_view name) {
    if (is_there) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  };
  add(seccomp, "seccomp");
  add(namespaces, "namespaces");
  return text.empty() ? "nothing" : text;
}

std::string Confinement::weakness() const {
  if (namespaces && seccomp) return "";
  if (landlock == 0 && !namespaces) {
    return "commands can read and write everything that you can, including .git and the store";
  }
  if (!seccomp) return "commands can make all system calls";
  std::string text = "commands can write .git and hooks, change modes and owners of your files";
  if (landlock < 6) text += ", and end your other processes";
  return text;
}

Sandbox::Sandbox(const Settings& settings, std::string folder)
    : settings_(settings), folder_(std::move(folder)) {}

Sandbox::~Sandbox() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<std::unique_ptr<Sandbox>> Sandbox::open(const Settings& given) {
  Settings settings = given;
  settings.root = real_path(given.root);
  if (settings.root.empty() || !fs::is_directory(settings.root)) {
    return not_found(fmt::format("'{}' is not a folder", given.root));
  }
  if (settings.root == "/") {
    return invalid("commands cannot be confined to '/'", "name a folder with --root");
  }
  settings.readable.clear();
  for (const std::string& path : given.readable) {
    if (std::string real = real_path(path); !real.empty()) settings.readable.push_back(real);
  }
  // The list of DNS servers is often a link to a file outside /etc.
  if (const std::string names = real_path("/etc/resolv.conf");
      settings.network && !names.empty() && !is_at_or_below(names, "/etc")) {
    settings.readable.push_back(names);
  }
  std::error_code problem;
  const std::string where = real_path(fs::temp_directory_path(problem).string());
  std::string folder = (where.empty() ? "/tmp" : where) + "/spoor-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return cannot("make a temporary folder", errno);
  std::unique_ptr<Sandbox> sandbox(new Sandbox(settings, folder));
  for (const char* name : {"/tmp", "/tree"}) {
    if (::mkdir((folder + name).c_str(), 0700) != 0) return cannot("make a folder", errno);
  }
  TRY(sandbox->find_confinement());
  sandbox->seen_temporary_ = sandbox->confinement_.namespaces ? "/tmp" : folder + "/tmp";
  return sandbox;
}

// Finds the strongest confinement that works. Root needs no user namespace; in its own it would
// lose its rights over other users' files.
Result<void> Sandbox::find_confinement() {
  struct Way {
    Confinement confinement;
    bool is_of_user = false;
  };
  Confinement best;
  best.landlock = std::min(landlock_version(), settings_.most.landlock);
  best.seccomp = settings_.most.seccomp && !make_call_filter({}).empty();
  std::vector<Way> ways;
  if (settings_.most.namespaces != Namespaces::none) {
    best.namespaces = true;
    if (settings_.most.namespaces == Namespaces::any && ::geteuid() == 0) ways.push_back({best});
    ways.push_back({best, true});
    best.namespaces = false;
  }
  ways.push_back({best});
  best.seccomp = false;
  ways.push_back({best});
  for (const Way& way : ways) {
    if (!can_be_entered(TRY(jail({}, way.confinement, way.is_of_user)))) continue;
    confinement_ = way.confinement;
    is_of_user_ = way.is_of_user;
    return {};
  }
  return {};
}

std::vector<std::string> Sandbox::readable() const {
  std::vector<std::string> all = {settings_.root};
  all.insert(all.end(), kSystem.begin(), kSystem.end());
  all.insert(all.end(), settings_.readable.begin(), settings_.readable.end());
  return all;
}

MountTree Sandbox::tree(const std::vector<std::string>& frozen) const {
  MountTree tree(folder_ + "/tree");
  for (const char* path : kSystem) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
      tree.link(fs::read_symlink(path, ignored).string(), path);
    } else {
      tree.bind(path, MountTree::May::read);
    }
  }
  for (const char* path : kDevices) tree.device(path);
  tree.link("/proc/self/fd", "/dev/fd");
  tree.link("/proc/self/fd/0", "/dev/stdin");
  tree.link("/proc/self/fd/1", "/dev/stdout");
  tree.link("/proc/self/fd/2", "/dev/stderr");
  tree.memory(kMemory);
  tree.processes("/proc");
  tree.bind(folder_ + "/tmp", "/tmp", MountTree::May::write);
  tree.bind(folder_ + "/tmp", "/var/tmp", MountTree::May::write);  // A root may lie below it.
  for (const std::string& path : settings_.readable) {
    if (!is_at_or_below(path, settings_.root)) tree.bind(path, MountTree::May::read);
  }
  tree.bind(settings_.root, MountTree::May::write);
  // Pin the parent folders: a command that can rename one could replace it.
  std::set<std::string> pinned;
  for (const std::string& path : frozen) {
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
      const std::string folder = path.substr(0, end);
      if (pinned.insert(folder).second) tree.pin(settings_.root + '/' + folder);
    }
    tree.freeze(settings_.root + '/' + path);
  }
  return tree;
}

std::vector<LandlockRule> Sandbox::rules() const {
  using May = LandlockRule::May;
  std::vector<LandlockRule> rules;
  rules.reserve(std::size(kSystem) + settings_.readable.size() + std::size(kDevices) + 2);
  for (const char* path : kSystem) rules.push_back({path, May::read});
  for (const std::string& path : settings_.readable) rules.push_back({path, May::read});
  for (const char* path : kDevices) rules.push_back({path, May::use_device});
  rules.push_back({settings_.root, May::write});
  rules.push_back({folder_ + "/tmp", May::write});
  return rules;
}

Result<Jail> Sandbox::jail(const std::vector<std::string>& frozen) const {
  return jail(frozen, confinement_, is_of_user_);
}

Result<Jail> Sandbox::jail(const std::vector<std::string>& frozen, const Confinement& confinement,
                           bool is_of_user) const {
  Jail jail(confinement.namespaces ? tree(frozen) : MountTree(folder_ + "/tree"));
  if (confinement.namespaces) {
    jail.flags_ = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC;
    if (!settings_.network) jail.flags_ |= CLONE_NEWNET;
    if (is_of_user) {
      jail.flags_ |= CLONE_NEWUSER;
      jail.user_map_ = fmt::format("{0} {0} 1\n", ::geteuid());
      jail.group_map_ = fmt::format("{0} {0} 1\n", ::getegid());
    }
  }
  if (confinement.landlock > 0) {
    jail.landlock_ = confinement.landlock;
    jail.rules_ = TRY(make_landlock(confinement.landlock, rules(), settings_.network));
  }
  if (confinement.seccomp) {
    CallRules calls;
    calls.network = settings_.network;
    // Landlock does not cover sockets in the file system: only a separate tree hides them. Abstract
    // sockets belong to a network namespace.
    calls.local_sockets =
        confinement.namespaces && (!settings_.network || confinement.landlock >= 6);
    calls.truncate = confinement.namespaces || confinement.landlock >= 3;
    jail.filter_ = make_call_filter(calls);
  }
  return jail;
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
