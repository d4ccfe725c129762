#include "base/os/beneath.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace spoor::os {
namespace {

constexpr int kMostLinks = 40;  // As Linux.
constexpr std::size_t kMostTarget = 4096;

// A path on its way down from a folder.
class Walk {
 public:
  Walk(int root, const std::string& path) : root_(root) {
    if (path.empty()) problem_ = ENOENT;
    prepend(path);
  }

  // Goes on until the last component, which may be a link still. Returns its name, `.` for the
  // folder itself, or nothing if there is a problem.
  std::string last() {
    while (problem_ == 0 && !left_.empty()) {
      std::string name = std::move(left_.front());
      left_.pop_front();
      if (name == ".") continue;
      if (name == "..") {
        if (way_.empty()) return failed(EXDEV);
        way_.pop_back();
        continue;
      }
      if (left_.empty()) return name;
      enter(name);
    }
    return problem_ == 0 ? "." : "";
  }

  // Goes on with the target of the link `name`. Returns false if it is not a link, or cannot be.
  bool follow(const std::string& name) {
    std::string target(kMostTarget, '\0');
    const ssize_t size = ::readlinkat(here(), name.c_str(), target.data(), target.size());
    if (size < 0) return false;
    target.resize(static_cast<std::size_t>(size));
    if (++links_ > kMostLinks) {
      problem_ = ELOOP;
    } else if (target.empty() || target.size() == kMostTarget) {
      problem_ = target.empty() ? ENOENT : ENAMETOOLONG;
    } else if (target.front() == '/') {
      problem_ = EXDEV;
    } else {
      prepend(target);
    }
    return true;
  }

  int here() const { return way_.empty() ? root_ : way_.back().number(); }
  int problem() const { return problem_; }
  // A path that ends with a slash leads to a folder.
  bool is_folder_wanted() const { return ends_with_slash_; }

 private:
  std::string failed(int problem) {
    problem_ = problem;
    return {};
  }

  // Puts a path in front of what is left. One that ends with a slash goes on in the folder.
  void prepend(std::string_view path) {
    if (path.starts_with('/')) problem_ = EXDEV;
    if (left_.empty()) ends_with_slash_ = ends_with_slash_ || path.ends_with('/');
    std::vector<std::string> names;
    while (!path.empty()) {
      const std::size_t end = std::min(path.find('/'), path.size());
      if (end > 0) names.emplace_back(path.substr(0, end));
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    left_.insert(left_.begin(), names.begin(), names.end());
  }

  void enter(const std::string& name) {
    Descriptor next(
        ::openat(here(), name.c_str(), kFolderFlags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (next) return way_.push_back(std::move(next));
    const int problem = errno;  // A link: ELOOP, EMLINK, EFTYPE or ENOTDIR.
    if (!follow(name)) problem_ = problem;
  }

  const int root_;
  std::vector<Descriptor> way_;  // The folders from the root to here.
  std::deque<std::string> left_;
  int links_ = 0;
  int problem_ = 0;
  bool ends_with_slash_ = false;
};

int fail(int problem) {
  errno = problem;
  return -1;
}

#ifndef F_GETPATH
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Returns the name by which `above` lists the folder `wanted`; empty: by none.
std::string name_in(int above, const struct stat& wanted) {
  const int copy = ::openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return {};
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), ::closedir);
  if (!stream) return ::close(copy), std::string();
  while (const dirent* entry = ::readdir(stream.get())) {
    std::string name = entry->d_name;
    struct stat found {};
    if (name != "." && name != ".." &&
        ::fstatat(above, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_same(found, wanted)) {
      return name;
    }
  }
  errno = ENOENT;
  return {};
}
#endif

}  // namespace

const int kFolderFlags = O_RDONLY | O_DIRECTORY;

int open_beneath(int folder, const std::string& path, int flags) {
  Walk walk(folder, path);
  while (true) {
    const std::string name = walk.last();
    if (name.empty()) return fail(walk.problem());
    const int more = walk.is_folder_wanted() ? O_DIRECTORY : 0;
    const int opened = ::openat(walk.here(), name.c_str(), flags | more | O_NOFOLLOW | O_CLOEXEC);
    if (opened >= 0) return opened;
    const int problem = errno;
    const bool is_final = name == "." || (flags & O_NOFOLLOW) != 0;
    if (is_final || !walk.follow(name)) return fail(problem);
  }
}

int stat_beneath(int folder, const std::string& path, struct stat& found) {
  Walk walk(folder, path);
  while (true) {
    const std::string name = walk.last();
    if (name.empty()) return fail(walk.problem());
    if (::fstatat(walk.here(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    if (S_ISLNK(found.st_mode) && walk.follow(name)) continue;
    if (walk.is_folder_wanted() && !S_ISDIR(found.st_mode)) return fail(ENOTDIR);
    return 0;
  }
}

std::string path_of(int folder) {
#ifdef F_GETPATH
  std::array<char, PATH_MAX> path{};
  return ::fcntl(folder, F_GETPATH, path.data()) == 0 ? std::string(path.data()) : std::string();
#else
  std::string path;
  Descriptor here(::openat(folder, ".", kFolderFlags | O_CLOEXEC));
  while (here) {
    struct stat lower {};
    struct stat upper {};
    Descriptor above(::openat(here.number(), "..", kFolderFlags | O_CLOEXEC));
    if (!above || ::fstat(here.number(), &lower) != 0 || ::fstat(above.number(), &upper) != 0) {
      return {};
    }
    if (is_same(lower, upper)) return path.empty() ? "/" : path;
    const std::string name = name_in(above.number(), lower);
    if (name.empty()) return {};
    path.insert(0, "/" + name);
    here = std::move(above);
  }
  return {};
#endif
}

}  // namespace spoor::os
