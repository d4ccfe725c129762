#include "agent/builtin/mount_tree.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace spoor::agent::builtin {
namespace {

constexpr long kMountSetattr = 442;
constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
constexpr std::uint64_t kReadOnly = 1;   // MOUNT_ATTR_*
constexpr std::uint64_t kNoSuid = 2;
constexpr std::uint64_t kNoDevices = 4;

struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};

int problem_of(long answer) { return answer < 0 ? errno : 0; }

bool is_folder(const char* path) {
  struct stat found {};
  return ::stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

int make_folder(const char* path) {
  if (::mkdir(path, 0755) == 0) return 0;
  const int problem = errno;
  return is_folder(path) ? 0 : problem;
}

int make_file(const char* path) {
  const int file = ::open(path, O_CREAT | O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0)
    return errno == EROFS || errno == EACCES ? 0 : errno;  // The mount reports the
                                                           // problem.
  ::close(file);
  return 0;
}

int restrict_mount(const char* path, unsigned how_far, std::uint64_t flags) {
  const MountAttributes attributes{.set = flags};
  return problem_of(
      ::syscall(kMountSetattr, AT_FDCWD, path, how_far, &attributes, sizeof attributes));
}

int bind_mount(const char* from, const char* to, std::uint64_t flags) {
  if (::mount(from, to, nullptr, MS_BIND | MS_REC, nullptr) != 0) return errno;
  return restrict_mount(to, kRecursive, flags);
}

constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;

}  // namespace

int MountTree::take(const Step& step) noexcept {
  const char* from = step.from.c_str();
  const char* to = step.to.c_str();
  switch (step.kind) {
    case Step::Kind::folder:
      return make_folder(to);
    case Step::Kind::file:
      return make_file(to);
    case Step::Kind::link:
      return problem_of(::symlink(from, to));
    case Step::Kind::bind:
      return bind_mount(from, to, kNoSuid | kNoDevices | (step.is_read_only ? kReadOnly : 0));
    case Step::Kind::device:
      return bind_mount(from, to, kNoSuid);
    case Step::Kind::memory:
      return problem_of(::mount("tmpfs", to, "tmpfs", kPlain, "mode=1777"));
    case Step::Kind::processes:
      // Read-only, since root could change kernel settings there.
      if (::mount("proc", to, "proc", kPlain | MS_NOEXEC, nullptr) != 0) return errno;
      return restrict_mount(to, 0, kReadOnly);
  }
  return EINVAL;
}

int MountTree::build() const noexcept {
  // Keeps these mounts invisible elsewhere.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  if (::mount("tmpfs", at_.c_str(), "tmpfs", kPlain, "mode=0755,size=4m") != 0) return errno;
  for (const Step& step : steps_) {
    if (const int problem = take(step)) return problem;
  }
  // pivot_root puts the old root on top of the new one; unmount it (pivot_root(2), "pivot_root(".",
  // ".")").
  if (::chdir(at_.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) return errno;
  if (::umount2(".", MNT_DETACH) != 0) return errno;
  if (::chdir("/") != 0) return errno;
  return restrict_mount("/", 0, kReadOnly);  // Mounts below it are unaffected.
}

}  // namespace spoor::agent::builtin
