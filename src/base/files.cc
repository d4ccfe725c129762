#include "base/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/os/durable.h"
#include "base/rename_new.h"

namespace spoor {
namespace {

Error failed(std::string_view what, const std::string& path) {
  const int reason = errno;
  return io_error(fmt::format("cannot {} '{}': {}", what, path, std::strerror(reason)));
}

// A descriptor that closes itself.
class File {
 public:
  File(const std::string& path, int flags, unsigned mode)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  int fd_;
};

// Accepts a file, a pipe (`<(…)`) or /dev/null; reads from other files may never end.
Result<void> check_kind(const File& file, const std::string& path) {
  struct stat about {};
  if (::fstat(file.fd(), &about) != 0) return failed("look at", path);
  struct stat null {};
  const bool is_null =
      S_ISCHR(about.st_mode) && ::stat("/dev/null", &null) == 0 && about.st_rdev == null.st_rdev;
  if (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || is_null) return {};
  return invalid(
      fmt::format("'{}' is a {}, not a file", path, S_ISDIR(about.st_mode) ? "folder" : "device"),
      "name a regular file");
}

Result<void> make_parent(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? Result<void>() : make_folder(parent.string());
}

// Writes a file that is then moved to `path`, and returns its path.
Result<std::string> write_draft(const std::string& path, std::string_view bytes, unsigned mode) {
  TRY(make_parent(path));
  std::string draft = fmt::format("{}.{}.new", path, ::getpid());
  const File file(draft, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (!file.is_open()) return failed("write", draft);
  if (!file.write_all(bytes) || os::sync_file(file.fd()) != 0) {
    Error error = failed("write", draft);
    ::unlink(draft.c_str());
    return error;
  }
  return draft;
}

}  // namespace

Result<void> make_folder(const std::string& path) {
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) return {};
  std::filesystem::create_directories(path, problem);
  if (problem) {
    return io_error(fmt::format("cannot make '{}': {}", path, problem.message()));
  }
  ::chmod(path.c_str(), 0700);
  return {};
}

Error too_long(const std::string& what, std::uint64_t most) {
  const std::uint64_t mebibytes = most >> 20U;
  return denied(
      fmt::format("{} is longer than the limit of {} MiB", what, mebibytes),
      fmt::format("if there is enough memory, raise it: SPOOR_MAX_TEXT={}", mebibytes * 2));
}

Result<std::string> read_given_file(const std::string& path, std::uint64_t most) {
  auto text = TRY(read_file(path, most));
  if (text) return std::move(*text);
  return not_found(fmt::format("no file '{}'", path),
                   "check the path; it is relative to the current folder");
}

Result<std::optional<std::string>> read_file(const std::string& path, std::uint64_t most) {
  const File file(path, O_RDONLY | O_NOCTTY, 0);
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return failed("read", path);
  }
  TRY(check_kind(file, path));
  std::string bytes;
  char buffer[16'384];
  while (true) {
    const ssize_t count = ::read(file.fd(), buffer, sizeof buffer);
    if (count == 0) return std::optional(std::move(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("read", path);
    if (bytes.size() + static_cast<std::size_t>(count) > most) {
      return too_long(fmt::format("'{}'", path), most);
    }
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string draft = TRY(write_draft(path, bytes, mode));
  if (::rename(draft.c_str(), path.c_str()) != 0) return failed("replace", path);
  return {};
}

Result<void> append_file(const std::string& path, std::string_view bytes, unsigned mode) {
  TRY(make_parent(path));
  const File file(path, O_WRONLY | O_CREAT | O_APPEND, mode);
  if (!file.is_open()) return failed("write", path);
  if (::fchmod(file.fd(), mode) != 0 || !file.write_all(bytes)) return failed("write", path);
  return {};
}

Result<void> create_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string draft = TRY(write_draft(path, bytes, mode));
  const int cause = rename_new(draft, path);
  ::unlink(draft.c_str());
  if (cause == 0) return {};
  if (cause == EEXIST) return conflict(fmt::format("'{}' already exists", path));
  errno = cause;
  return failed("make", path);
}

}  // namespace spoor
