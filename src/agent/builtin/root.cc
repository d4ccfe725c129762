#include "agent/builtin/root.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "agent/builtin/protected_files.h"
#include "base/os/beneath.h"

namespace spoor::agent::builtin {
namespace {

std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> components;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != ".") components.emplace_back(name);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return components;
}

std::string joined(const std::vector<std::string>& components) {
  std::string path;
  for (const std::string& name : components) path += (path.empty() ? "" : "/") + name;
  return path.empty() ? "." : path;
}

bool is_symbolic_link(int folder, const std::string& name) {
  struct stat found {};
  return ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(found.st_mode);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

// Folders that were made on the way to a place: removed again if that is refused.
class Root::MadeFolders {
 public:
  MadeFolders() = default;
  ~MadeFolders() {
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
      ::unlinkat(made->first.number(), made->second.c_str(), AT_REMOVEDIR);
    }
  }
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

  void add(Descriptor parent, std::string name) {
    made_.emplace_back(std::move(parent), std::move(name));
  }
  void keep() { made_.clear(); }

 private:
  std::vector<std::pair<Descriptor, std::string>> made_;  // The folder above, and a name in it.
};

Result<std::string> path_of(int descriptor) {
  std::string path = os::path_of(descriptor);
  if (!path.empty()) return path;
  return io_error(fmt::format("cannot tell where an open file lies: {}", std::strerror(errno)));
}

Result<Root> Root::open(const std::string& path, Closed closed, std::optional<Way> way) {
  Descriptor folder(::open(path.c_str(), os::kFolderFlags | O_CLOEXEC));
  if (!folder) {
    const int problem = errno;
    Error error =
        io_error(fmt::format("cannot open the root folder '{}': {}", path, std::strerror(problem)),
                 "name a folder that is there");
    if (problem == ENOENT || problem == ENOTDIR) error.code = Error::Code::not_found;
    return error;
  }
  std::vector<std::string> names;
  std::error_code ignored;  // Without the names, only relative paths work.
  const std::string absolute = std::filesystem::absolute(path, ignored).lexically_normal().string();
  const std::string real = std::filesystem::canonical(path, ignored).string();
  for (std::string name : {absolute, real}) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    if (!name.empty()) names.push_back(std::move(name));
  }
  if (!way) {
    const Descriptor probe(os::open_beneath(folder.number(), ".", os::kFolderFlags));
    way = probe ? Way::kernel : Way::walk;
  }
  return Root(std::move(folder), std::move(names), std::move(closed), *way);
}

Result<std::string> Root::relative(std::string_view path) const {
  if (path.empty()) return invalid("the path is empty", "'.' is the root folder");
  if (path.size() > kMaxPath) {
    return invalid(fmt::format("the path is longer than {} bytes", kMaxPath));
  }
  if (path.find('\0') != std::string_view::npos) {
    return invalid("the path has a NUL byte in it");
  }
  if (path.front() == '/') {
    for (const std::string& name : names_) {
      if (path == name) return std::string(".");
      if (path.starts_with(name) && path[name.size()] == '/') {
        return joined(components_of(path.substr(name.size())));
      }
    }
    return denied(fmt::format("'{}' lies outside the root folder", path),
                  "paths are relative to the root folder");
  }
  return joined(components_of(path));
}

Result<Descriptor> Root::file(std::string_view path) const {
  const std::string inside = TRY(relative(path));
  // Check before opening: closing a file of the store would drop SQLite's locks on it.
  struct stat found {};
  if (stat_beneath(inside, found) != 0) return refusal(path, errno);
  if (closed_.store.files().hold(found)) return StoreGuard::refusal(path);
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  Descriptor file(open_beneath(inside, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!file) return refusal(path, errno);
  if (::fstat(file.number(), &found) != 0) return refusal(path, errno);
  if (!S_ISREG(found.st_mode)) {
    return denied(fmt::format("'{}' is {}, not a file", path, kind_of(found.st_mode)));
  }
  if (closed_.store.files().hold(found)) return StoreGuard::refusal(path);
  return file;
}

Result<Descriptor> Root::folder(std::string_view path) const {
  const std::string inside = TRY(relative(path));
  Descriptor folder(open_beneath(inside, O_RDONLY | O_DIRECTORY));
  if (!folder) return refusal(path, errno);
  return folder;
}

Result<Root::WriteTarget> Root::place(std::string_view path, bool make_parents) const {
  const std::string inside = TRY(relative(path));
  std::vector<std::string> components = components_of(inside);
  if (components.empty() || components.back() == ".." || path.ends_with('/')) {
    return invalid(fmt::format("'{}' is a folder, not a file", path));
  }
  std::string name = std::move(components.back());
  components.pop_back();
  const std::string parent = joined(components);
  Descriptor folder(open_beneath(parent, os::kFolderFlags));
  MadeFolders made;
  if (!folder && errno == ENOENT && make_parents) folder = TRY(made_folder(parent, made));
  if (!folder) return refusal(parent, errno);
  TRY(check_writable(folder, name, path));
  made.keep();
  return WriteTarget{std::move(folder), std::move(name)};
}

// Checks the folder's real location, since the path may contain links.
Result<void> Root::check_writable(const Descriptor& folder, const std::string& name,
                                  std::string_view path) const {
  const StoreGuard& store = closed_.store;
  if (store.covers(store.files(), folder.number(), name)) return StoreGuard::refusal(path);
  const std::string root = TRY(path_of(folder_.number()));
  std::string inside = TRY(path_of(folder.number()));
  if (inside.starts_with(root)) inside.erase(0, root.size());
  inside.erase(0, std::min(inside.find_first_not_of('/'), inside.size()));
  auto refused = refuse_write(closed_, root, inside, folder.number(), name, path);
  if (refused) return std::move(*refused);
  return {};
}

// Starts at the root each time, so that a link may lead anywhere below it.
Result<Descriptor> Root::made_folder(const std::string& path, MadeFolders& made) const {
  Descriptor folder(open_beneath(path, os::kFolderFlags));
  if (folder) return folder;
  std::vector<std::string> components = components_of(path);
  if (errno != ENOENT || components.empty()) return refusal(path, errno);
  const std::string name = std::move(components.back());
  components.pop_back();
  Descriptor parent = TRY(made_folder(joined(components), made));
  TRY(check_writable(parent, name, path));
  if (::mkdirat(parent.number(), name.c_str(), 0777) == 0) {
    made.add(std::move(parent), name);
  } else if (errno != EEXIST) {
    return refusal(path, errno);
  }
  folder = Descriptor(open_beneath(path, os::kFolderFlags));
  if (!folder) return refusal(path, errno);
  return folder;
}

int Root::open_beneath(const std::string& path, int flags) const {
  return way_ == Way::kernel ? os::open_beneath(folder_.number(), path, flags) : walk(path, flags);
}

int Root::stat_beneath(const std::string& path, struct stat& found) const {
  if (way_ == Way::kernel) return os::stat_beneath(folder_.number(), path, found);
  std::vector<std::string> components = components_of(path);
  if (components.empty() || components.back() == "..") {
    const Descriptor folder(walk(path, os::kFolderFlags));
    return folder ? ::fstat(folder.number(), &found) : -1;
  }
  const std::string name = std::move(components.back());
  components.pop_back();
  const Descriptor folder(walk(joined(components), os::kFolderFlags));
  if (!folder || ::fstatat(folder.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return -1;
  }
  if (!S_ISLNK(found.st_mode)) return 0;
  errno = ELOOP;
  return -1;
}

// Keeps the opened folders: `..` returns to the previous one without asking the kernel.
int Root::walk(const std::string& path, int flags) const {
  const std::vector<std::string> components = components_of(path);
  std::vector<Descriptor> way;
  const auto here = [&] { return way.empty() ? folder_.number() : way.back().number(); };
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string& name = components[i];
    if (name == "..") {
      if (way.empty()) {
        errno = EXDEV;
        return -1;
      }
      way.pop_back();
      continue;
    }
    const bool is_last = i + 1 == components.size();
    const int how = is_last ? flags : os::kFolderFlags;
    Descriptor next(::openat(here(), name.c_str(), how | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      const int problem = errno;
      const bool is_link = is_symbolic_link(here(), name);
      errno = is_link ? ELOOP : problem;
      return -1;
    }
    if (is_last) return next.release();
    way.push_back(std::move(next));
  }
  return ::openat(here(), ".", flags | O_CLOEXEC);
}

Error Root::refusal(std::string_view path, int problem) const {
  switch (problem) {
    case EXDEV:
      return denied(fmt::format("'{}' leads out of the root folder", path));
    case ELOOP:
      if (way_ == Way::walk) {
        return denied(fmt::format("'{}' leads through a symbolic link", path),
                      "this kernel has no openat2, without which links are not followed safely");
      }
      return denied(fmt::format("'{}' leads through too many symbolic links", path));
    case ENOENT:
      return not_found(fmt::format("there is no '{}'", path));
    case ENOTDIR:
      return invalid(fmt::format("'{}' is no folder, or leads through a file", path));
    case EACCES:
    case EPERM:
      return denied(fmt::format("'{}' may not be opened: {}", path, std::strerror(problem)));
    case ENXIO:
      return denied(fmt::format("'{}' is a socket or a device, not a file", path));
    case ENAMETOOLONG:
      return invalid(fmt::format("a name in '{}' is too long", path));
    case EAGAIN:
      return unavailable(fmt::format("'{}' is being moved by somebody else", path), "try again");
    default:
      return io_error(fmt::format("cannot open '{}': {}", path, std::strerror(problem)));
  }
}

}  // namespace spoor::agent::builtin
