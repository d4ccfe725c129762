#include "agent/builtin/sandbox.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

Error cannot(std::string_view what, int problem) {
  return io_error(fmt::format("cannot {}: {}", what, std::strerror(problem)));
}

// Returns `path` without symbolic links; empty if it does not exist.
std::string real_path(const std::string& path) {
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  return problem ? std::string() : real.string();
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
  if (settings_.most.namespaces != Namespaces::none && namespace_flags(true, true) != 0) {
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
  tree.memory(Jail::kMemory);
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
    jail.flags_ = namespace_flags(settings_.network, is_of_user);
    if (is_of_user) {
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

}  // namespace spoor::agent::builtin
