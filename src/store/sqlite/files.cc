#include "store/sqlite/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/os/durable.h"
#include "base/rename_new.h"
#include "store/sqlite/schema.h"

namespace spoor::store::sqlite {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool exists(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0;
}

bool is_log_left(const std::string& path) {
  struct stat found {};
  return lstat((path + "-wal").c_str(), &found) == 0 && found.st_size > 0;
}

// Syncs a folder, which makes the names of its files durable.
Result<void> sync_folder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = file >= 0 && os::sync_file(file) == 0;
  const int number = errno;
  if (file >= 0) close(file);
  if (is_synced) return {};
  return io_error(fmt::format("cannot write the folder '{}': {}", folder, std::strerror(number)));
}

Error taken(const std::string& path) {
  return conflict(fmt::format("'{}' exists already", path), "open it, or choose another name");
}

// Removes an unfinished file and any files that SQLite left next to it.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) {}
  ~Draft() { (void)remove_store(path_); }  // Any remains have a name that is never looked for.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Result<StoreFile> find_store_file(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  struct stat found {};
  if (real == nullptr || stat(real.get(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return not_found(fmt::format("no store at '{}'", path), "make one with 'spoor init'");
    }
    return io_error(fmt::format("cannot open '{}': {}", path, std::strerror(errno)),
                    "look at the permissions of the file and of its folders");
  }
  if (!S_ISREG(found.st_mode)) {
    return invalid(
        fmt::format("'{}' is {}", path, S_ISDIR(found.st_mode) ? "a folder" : "not a file"),
        "name the store's file");
  }
  return StoreFile{real.get(), found.st_mode & 0666U, static_cast<std::uint64_t>(found.st_dev),
                   found.st_ino};
}

Result<void> check_still_there(const StoreFile& file) {
  struct stat found {};
  if (stat(file.path.c_str(), &found) == 0 &&
      static_cast<std::uint64_t>(found.st_dev) == file.device && found.st_ino == file.inode) {
    if (found.st_nlink == 1) return {};
    return io_error(
        fmt::format("'{}' has {} names (hard links)", file.path, found.st_nlink),
        "each would have a log of its own, and commits would be lost: copy the file, and "
        "remove the other names");
  }
  return io_error(
      fmt::format("'{}' was moved, removed or replaced while it was in use", file.path),
      "nothing was written; put the file back, with its '-wal', and run 'spoor store fsck'");
}

Result<std::uint64_t> inode_of_log(const StoreFile& file) {
  struct stat found {};
  if (lstat((file.path + "-wal").c_str(), &found) == 0) return found.st_ino;
  return log_is_gone(file.path);
}

Error log_is_gone(const std::string& path) {
  return io_error(
      fmt::format("'{}-wal', the log of the store, was removed or replaced while it was in "
                  "use",
                  path),
      "nothing was written; stop all programs that use the store, put the log back, and run 'spoor "
      "store fsck'");
}

Result<void> create_store_file(const std::string& path, const FinishStoreFile& finish) {
  static std::atomic<unsigned> counter = 0;
  if (path.empty()) return invalid("a store needs a file name");
  if (exists(path)) return taken(path);
  const std::string folder = folder_of(path);
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(folder.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    return not_found(fmt::format("no folder '{}'", folder), "create the folder first");
  }
  if (access(real.get(), W_OK | X_OK) != 0) {
    return io_error(fmt::format("cannot make '{}': {}", path, std::strerror(errno)),
                    "look at the permissions of the folder");
  }

  const std::string place = fmt::format("{}/{}", real.get(), path.substr(path.rfind('/') + 1));
  // SQLite would use it as this file's log and restore the other file's data.
  if (is_log_left(place)) {
    if (exists(path)) return taken(path);  // Another process is creating it now.
    return conflict(fmt::format("'{}-wal' is the log of a store whose file is missing", path),
                    "put the file back; or delete the log, and with it the commits in it");
  }
  const Draft draft(fmt::format("{}.new-{}-{}", place, getpid(), ++counter));
  TRY(write_empty_store(draft.path()));
  // SQLite and spoor give the files next to it the same permissions.
  if (chmod(draft.path().c_str(), 0600) != 0) {
    return io_error(fmt::format("cannot make '{}': {}", path, std::strerror(errno)));
  }
  if (finish) TRY(finish(draft.path()));
  if (is_log_left(draft.path())) {
    return io_error(fmt::format("cannot make '{}': its log was not emptied", path));
  }
  unlink((place + "-mark").c_str());  // Left by a former store; not in use.
  if (const int number = rename_new(draft.path(), place); number != 0) {
    if (number == EEXIST) return taken(path);
    return io_error(fmt::format("cannot make '{}': {}", path, std::strerror(number)));
  }
  return sync_folder(real.get());
}

bool may_be_written(const std::string& path) {
  for (const char* suffix : {"-wal", "-shm"}) {
    const std::string beside = path + suffix;
    if (exists(beside) && access(beside.c_str(), W_OK) != 0) return false;
  }
  return access(path.c_str(), W_OK) == 0 && access(folder_of(path).c_str(), W_OK) == 0;
}

bool has_room(const std::string& path) {
  struct statvfs disk {};
  return statvfs(path.c_str(), &disk) != 0 || disk.f_bavail > 0;
}

Error no_room(const std::string& path) {
  return io_error(fmt::format("no room left to write '{}'", path),
                  "nothing was changed; free some space and try again");
}

bool is_at_size_limit(const std::string& path) {
  constexpr off_t kMostWrite = 1 << 17;  // Per write.
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat found {};
    if (stat((path + suffix).c_str(), &found) != 0) continue;
    if (static_cast<rlim_t>(found.st_size + kMostWrite) > limit.rlim_cur) return true;
  }
  return false;
}

Error too_large(const std::string& path) {
  return io_error(fmt::format("'{}' would be larger than a file may be", path),
                  "nothing was changed; raise the limit of this shell ('ulimit -f')");
}

Result<void> remove_store(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal", "-lock", "-mark"}) {
    const std::string file = path + suffix;
    if (unlink(file.c_str()) == 0 || errno == ENOENT) continue;
    return io_error(fmt::format("cannot remove '{}': {}", file, std::strerror(errno)));
  }
  return {};
}

std::string file_uri(const std::string& path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?" + std::string(query);
}

Result<bool> is_log_empty(const std::string& path) {
  struct stat found {};
  if (lstat((path + "-wal").c_str(), &found) == 0) return found.st_size == 0;
  if (errno == ENOENT) return true;
  return io_error(fmt::format("cannot look at the log of '{}': {}", path, std::strerror(errno)));
}

}  // namespace spoor::store::sqlite
