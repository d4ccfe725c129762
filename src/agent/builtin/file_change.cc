#include "agent/builtin/file_change.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/file_text.h"
#include "agent/numbers.h"
#include "base/os/file_times.h"
#include "base/random.h"
#include "graph/unified_diff.h"

namespace spoor::agent::builtin {
namespace {

Error cannot_write(std::string_view path, int problem) {
  const std::string message = fmt::format("cannot write '{}': {}", path, std::strerror(problem));
  if (problem == EACCES || problem == EPERM || problem == EROFS) return denied(message);
  return io_error(message);
}

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool is_still(const Root::WriteTarget& place, const OldFile& old) {
  struct stat now {};
  if (::fstatat(place.folder.number(), place.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
    return !old.exists && errno == ENOENT;
  }
  return old.exists && now.st_ino == old.status.st_ino && now.st_dev == old.status.st_dev &&
         now.st_size == old.status.st_size &&
         is_same_time(os::written_at(now), os::written_at(old.status));
}

// A temporary file in the same folder, removed unless it was renamed into place.
class NewFile {
 public:
  explicit NewFile(int folder) : folder_(folder) {}
  ~NewFile() {
    if (!name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int open() {  // Returns 0 or errno.
    for (int i = 0; i < 100; ++i) {
      const auto chance = random_bytes(8);
      if (!chance) return EIO;
      const std::string name = fmt::format(".spoor-{}.tmp", hex_digits(*chance));
      file_ = Descriptor(::openat(folder_, name.c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
      if (file_) {
        name_ = name;
        return 0;
      }
      if (errno != EEXIST) return errno;
    }
    return EEXIST;
  }

  int write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
      if (count >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }

  int take_over(const struct stat& old) {
    struct stat mine {};
    if (::fstat(file_.number(), &mine) != 0) return errno;
    if (mine.st_uid != old.st_uid || mine.st_gid != old.st_gid) {
      // Only a privileged user may change the owner; otherwise the new file is the user's.
      if (::fchown(file_.number(), old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;
    }
    return ::fchmod(file_.number(), old.st_mode & 0777U) == 0 ? 0 : errno;
  }

  int rename_to(const std::string& name) {
    if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  const int folder_;
  Descriptor file_;
  std::string name_;  // Empty: nothing to remove.
};

}  // namespace

Result<OldFile> read_old(const Root::WriteTarget& place, std::string_view path,
                         const Deadline& deadline) {
  OldFile old;
  const Descriptor file(::openat(place.folder.number(), place.name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return old;
    if (errno == ELOOP) {
      return denied(fmt::format("'{}' is a symbolic link", path),
                    "write to the file that it leads to");
    }
    return cannot_write(path, errno);
  }
  if (::fstat(file.number(), &old.status) != 0) return cannot_write(path, errno);
  if (!S_ISREG(old.status.st_mode)) {
    return denied(fmt::format("'{}' is {}", path,
                              S_ISDIR(old.status.st_mode) ? "a folder" : "no regular file"));
  }
  if ((old.status.st_mode & 0222U) == 0) {
    return denied(fmt::format("'{}' is read-only (mode {:04o})", path,
                              static_cast<unsigned>(old.status.st_mode & 0777U)));
  }
  old.exists = true;
  old.bytes = TRY(read_bytes(file, kMostChanged + 1, deadline));
  old.is_whole = old.bytes.size() <= kMostChanged;
  return old;
}

Result<ExistingFile> read_existing(const Root& root, const std::string& path,
                                   const Deadline& deadline) {
  TRY(deadline.check());
  Root::WriteTarget place = TRY(root.place(path, false));
  OldFile old = TRY(read_old(place, path, deadline));
  if (!old.exists) return not_found(fmt::format("there is no '{}'", path));
  if (!old.is_whole) {
    return denied(fmt::format("'{}' is longer than {} bytes", path, grouped(kMostChanged)));
  }
  return ExistingFile{std::move(place), std::move(old)};
}

Result<void> put_in_place(const Root::WriteTarget& place, const OldFile& old,
                          std::string_view bytes, std::string_view path) {
  NewFile file(place.folder.number());
  if (const int problem = file.open()) return cannot_write(path, problem);
  if (const int problem = file.write(bytes)) return cannot_write(path, problem);
  if (old.exists) {
    if (const int problem = file.take_over(old.status)) return cannot_write(path, problem);
  }
  if (!is_still(place, old)) {
    return conflict(fmt::format("'{}' was changed by somebody else meanwhile", path),
                    "read it again");
  }
  if (const int problem = file.rename_to(place.name)) return cannot_write(path, problem);
  return {};
}

ToolResult change_result(std::string text, std::string_view path, const OldFile& old,
                         std::string_view bytes) {
  ToolResult result = gave(std::move(text));
  note_path(result.facts, path);
  if (old.exists && old.is_whole && old.bytes == bytes) return result;
  result.facts.set(fact::artifact, "file_edit");
  const bool is_text = old.is_whole && bytes.size() <= kMostChanged && !find_binary(old.bytes) &&
                       !find_binary(bytes);
  if (!is_text) {
    result.attach.push_back(
        {fmt::format("Files a/{} and b/{} differ\n", path, path), "text/x-diff"});
    return result;
  }
  const std::vector<graph::UnifiedLine> lines = graph::unified_diff(old.bytes, bytes);
  std::int64_t added = 0;
  std::int64_t removed = 0;
  for (const graph::UnifiedLine& line : lines) {
    if (line.kind == '+') ++added;
    if (line.kind == '-') ++removed;
  }
  result.facts.set(fact::lines_added, added);
  result.facts.set(fact::lines_removed, removed);
  std::string diff = graph::unified_text(old.exists ? path : "", path, lines);
  if (diff.empty()) diff = fmt::format("--- /dev/null\n+++ b/{}\n", path);  // A new, empty file.
  result.attach.push_back({std::move(diff), "text/x-diff"});
  return result;
}

}  // namespace spoor::agent::builtin
