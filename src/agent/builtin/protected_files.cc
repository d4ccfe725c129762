#include "agent/builtin/protected_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/folder_walk.h"
#include "agent/builtin/git_folder.h"
#include "base/os/file_times.h"
#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

// Folders that tools generate as a whole, with other people's files.
constexpr std::array<std::string_view, 9> kMade = {
    "node_modules", "build", "target", "vendor", "dist", "_deps", "venv", ".venv", "site-packages"};

bool is_below(std::string_view path, std::string_view folder) {
  return path != folder && is_at_or_below(path, folder);
}

// Returns the folder of a path; empty for a path without a slash.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string joined(const std::string& folder, const std::string& path) {
  return path.empty() ? folder : (folder == "/" ? "" : folder) + '/' + path;
}

// Allowing a store also allows its side files.
bool allows_store(const ProtectedPaths& written, const std::string& path) {
  for (std::size_t end = path.find('-', path.rfind('/') + 1); end != std::string::npos;
       end = path.find('-', end + 1)) {
    if (written.allows(path.substr(0, end))) return true;
  }
  return false;
}

Error too_much(const std::string& path) {
  return denied(fmt::format("there is too much in '{}' to find what is write-protected in it",
                            path.empty() ? "." : path),
                "name a smaller folder with --root, or leave folders out with --allow-write");
}

class Finder {
 public:
  Finder(const Root& root, std::string path, Descriptor folder, const Deadline& deadline)
      : closed_(root.closed()),
        root_(std::move(path)),
        folder_(std::move(folder)),
        deadline_(deadline),
        stores_(closed_.store.files()) {}

  Result<ProtectedFiles> find(Extent extent) {
    for (std::string above = root_; !above.empty(); above = parent_of(above)) note_git(above);
    // Breadth first: near folders are read before deep ones.
    folders_.push_back({"", 0, is_git_folder(root_)});
    while (!folders_.empty()) {
      const Folder next = std::move(folders_.front());
      folders_.pop_front();
      TRY(look_into(next));
    }
    add_paths_of_git();
    keep_outermost();
    if (extent == Extent::whole || !linked_.empty()) TRY(add_files_within(extent));
    return std::move(found_);
  }

 private:
  struct Folder {
    std::string path;
    std::size_t depth;
    bool is_protected;  // Everything in it is, except what is allowed.
  };
  using Identity = std::pair<dev_t, ino_t>;

  static Identity identity(const struct stat& found) { return {found.st_dev, found.st_ino}; }

  Result<Descriptor> open(const std::string& path) const {
    Descriptor folder(::openat(folder_.number(), path.empty() ? "." : path.c_str(),
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder && (errno == EMFILE || errno == ENFILE)) {
      return io_error("too many open files");
    }
    return folder;
  }

  Result<void> look_into(const Folder& folder) {
    Descriptor opened = TRY(open(folder.path));
    if (!opened && errno == EACCES) add(folder.path, false);  // A command could make it readable.
    if (!opened) return {};
    if (++folder_count_ > kMostFolders) return too_much(folder.path);
    const bool is_partial =
        TRY(walk_folder(std::move(opened), folder.path.empty() ? "" : folder.path + '/', deadline_,
                        [&](const Entry& entry) {
                          if (++entry_count_ > kMostEntries) return Entry::Step::end;
                          visit(entry, folder);
                          return Entry::Step::skip;
                        }));
    if (is_partial || entry_count_ > kMostEntries) return too_much(folder.path);
    return {};
  }

  void visit(const Entry& entry, const Folder& folder) {
    const std::string path(entry.path);
    if (entry.kind == Entry::Kind::file) return visit_file(entry, path, folder.is_protected);
    if (entry.kind != Entry::Kind::folder || closed_.written.allows(path)) return;
    const std::string absolute = joined(root_, path);
    if (entry.name == ".git" && !folder.path.empty()) note_git(joined(root_, folder.path));
    bool is_protected = folder.is_protected || closed_.written.has(path);
    if (!is_protected && is_git_folder(absolute)) {
      note_git(absolute);
      is_protected = true;
    }
    if (is_protected && !closed_.written.allows_below(path)) return add(path, false);
    const bool is_made = std::find(kMade.begin(), kMade.end(), entry.name) != kMade.end();
    if (folder.depth + 1 < kProtectedDepth && !is_made) {
      folders_.push_back({path, folder.depth + 1, is_protected});
    }
  }

  void visit_file(const Entry& entry, const std::string& path, bool is_protected) {
    const std::string name(entry.name);
    struct stat found {};
    if (::fstatat(entry.folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (closed_.written.allows(path)) return;
    if (name == ".git" && path != name) note_git(joined(root_, parent_of(path)));
    const bool is_store = StoreGuard::is_of_other(stores_, entry.folder, name);
    if (is_store && allows_store(closed_.written, path)) return;
    if (is_protected || is_store || closed_.written.has(path)) return add(path, is_store);
    if (found.st_nlink > 1) linked_.emplace(identity(found), path);
  }

  void add(const std::string& path, bool is_store) {
    ProtectedFile file;
    file.is_store = is_store;
    if (::fstatat(folder_.number(), path.empty() ? "." : path.c_str(), &file.status,
                  AT_SYMLINK_NOFOLLOW) == 0) {
      found_.emplace(path, file);
    }
  }

  void note_git(const std::string& folder) {
    for (std::string& path : paths_git_runs(folder)) run_by_git_.push_back(std::move(path));
  }

  void add_paths_of_git() {
    for (const std::string& absolute : run_by_git_) {
      if (!is_below(absolute, root_)) continue;
      const std::string path = absolute.substr(root_.size() + 1);
      if (!closed_.written.allows_below(path)) add(path, false);
    }
  }

  bool is_within_found(const std::string& path) const {
    for (std::string above = parent_of(path); !above.empty(); above = parent_of(above)) {
      if (found_.count(above) != 0) return true;
    }
    return false;
  }

  void keep_outermost() {
    std::erase_if(found_, [&](const auto& one) { return is_within_found(one.first); });
  }

  // Adds the files in protected folders, and their other names outside.
  Result<void> add_files_within(Extent extent) {
    const ProtectedFiles outermost = found_;
    for (const auto& [path, file] : outermost) {
      if (S_ISREG(file.status.st_mode)) add_links_to(file.status);
      if (!S_ISDIR(file.status.st_mode)) continue;
      Descriptor opened = TRY(open(path));
      if (!opened) continue;
      TRY(walk_folder(std::move(opened), path + '/', deadline_, [&](const Entry& entry) {
        if (++entry_count_ > kMostEntries) return Entry::Step::end;
        struct stat found {};
        if (entry.kind != Entry::Kind::file ||
            ::fstatat(entry.folder, std::string(entry.name).c_str(), &found, AT_SYMLINK_NOFOLLOW) !=
                0) {
          return Entry::Step::go_on;
        }
        add_links_to(found);
        const bool is_object = entry.path.find("/objects/") != std::string_view::npos;
        if (extent == Extent::whole && !is_object) {
          found_.emplace(std::string(entry.path), ProtectedFile{found, false});
        }
        return Entry::Step::go_on;
      }));
      if (entry_count_ > kMostEntries) return too_much(path);
    }
    return {};
  }

  void add_links_to(const struct stat& file) {
    if (file.st_nlink < 2) return;
    const auto [begin, end] = linked_.equal_range(identity(file));
    for (auto link = begin; link != end; ++link) add(link->second, false);
  }

  const Closed& closed_;
  const std::string root_;
  const Descriptor folder_;
  const Deadline& deadline_;
  const StoreGuard::Files stores_;
  std::deque<Folder> folders_;
  std::size_t folder_count_ = 0;
  std::size_t entry_count_ = 0;
  std::vector<std::string> run_by_git_;          // Absolute.
  std::multimap<Identity, std::string> linked_;  // Unprotected files with several names.
  ProtectedFiles found_;
};

// Compares the kernel's change time too: no program can set it back.
bool is_same(const struct stat& a, const struct stat& b) {
  if (a.st_dev != b.st_dev || a.st_ino != b.st_ino || a.st_mode != b.st_mode) return false;
  const timespec one = os::changed_at(a);
  const timespec other = os::changed_at(b);
  return S_ISDIR(a.st_mode) ||
         (a.st_size == b.st_size && one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec);
}

bool is_run_by_git(const std::string& root, const std::string& folder, const std::string& place) {
  for (std::string above = folder; !above.empty(); above = parent_of(above)) {
    for (const std::string& run : paths_git_runs(above)) {
      if (is_below(run, root) && is_at_or_below(place, run)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Error> refuse_write(const Closed& closed, const std::string& root,
                                  const std::string& inside, int folder, const std::string& name,
                                  std::string_view path) {
  const std::string place = inside.empty() ? name : inside + '/' + name;
  if (closed.written.allows(place)) return {};
  if (StoreGuard::is_of_other(closed.store.files(), folder, name)) {
    if (allows_store(closed.written, place)) return {};
    return StoreGuard::refusal_of_other(path);
  }
  if (closed.written.has(place)) return ProtectedPaths::refusal(path);
  const std::string here = joined(root, inside);
  bool is_of_git = makes_git_folder(here, name) || is_git_folder(root);
  for (std::string above = place; !is_of_git && !above.empty(); above = parent_of(above)) {
    is_of_git = is_git_folder(joined(root, above));
  }
  if (!is_of_git) is_of_git = is_run_by_git(root, here, joined(root, place));
  if (is_of_git) return ProtectedPaths::refusal(path);
  return {};
}

Result<ProtectedFiles> find_protected(const Root& root, Extent extent, const Deadline& deadline) {
  Descriptor folder = TRY(root.folder("."));
  std::string path = TRY(path_of(folder.number()));
  return Finder(root, std::move(path), std::move(folder), deadline).find(extent);
}

Result<void> make_logs(const Root& root, ProtectedFiles& files) {
  const Descriptor folder = TRY(root.folder("."));
  const StoreGuard::Files own = root.closed().store.files();
  const ProtectedFiles found = files;
  for (const auto& [path, file] : found) {
    if (!file.is_store || !StoreGuard::is_other(own, folder.number(), path)) continue;
    for (const char* suffix : {"-wal", "-journal"}) {
      const std::string log = path + suffix;
      const Descriptor made(::openat(folder.number(), log.c_str(),
                                     O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!made) {
        if (errno == EEXIST) continue;
        return io_error(fmt::format("cannot make '{}': {}", log, std::strerror(errno)),
                        "without it a command could; name a root folder without the store");
      }
      // As SQLite does: users of the store must be able to use its log.
      ProtectedFile added{{}, true};
      if (::fchown(made.number(), file.status.st_uid, file.status.st_gid) != 0 && errno != EPERM) {
        return io_error(fmt::format("cannot make '{}': {}", log, std::strerror(errno)));
      }
      ::fchmod(made.number(), file.status.st_mode & 0666U);
      if (::fstat(made.number(), &added.status) == 0) files.emplace(log, added);
    }
  }
  return {};
}

std::vector<std::string> changed_paths(const ProtectedFiles& before, const ProtectedFiles& after) {
  std::set<std::string> changed;
  for (const auto& [path, file] : before) {
    const auto now = after.find(path);
    if (now == after.end() || !is_same(file.status, now->second.status)) changed.insert(path);
  }
  for (const auto& [path, file] : after) {
    if (before.count(path) == 0) changed.insert(path);
  }
  return {changed.begin(), changed.end()};
}

}  // namespace spoor::agent::builtin
