#include "cli/repl/file_terminal.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace spoor::cli {

Result<std::unique_ptr<FileTerminal>> FileTerminal::create(const std::string& path,
                                                           Terminal& terminal) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    return io_error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
  return std::unique_ptr<FileTerminal>(new FileTerminal(fd, path, terminal));
}

FileTerminal::~FileTerminal() { ::close(fd_); }

bool FileTerminal::write(Stream stream, std::string_view bytes) {
  if (stream == Stream::err) return terminal_.write(stream, bytes);
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      if (write_error_ == 0) write_error_ = errno;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<void> FileTerminal::finish() {
  if (write_error_ == 0) return {};
  return io_error(fmt::format("cannot write '{}': {}", path_, std::strerror(write_error_)));
}

}  // namespace spoor::cli
