#include "import/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace spoor::import {
namespace {

class FileSource final : public Source {
 public:
  FileSource(std::string name, int file, std::uint64_t size)
      : name_(std::move(name)), file_(file), size_(size) {}
  ~FileSource() override { ::close(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return size_; }

  Result<std::size_t> read(char* to, std::size_t room) override {
    for (;;) {
      const ::ssize_t count = ::read(file_, to, room);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) {
        return store::io_error(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
      }
    }
  }

 private:
  std::string name_;
  int file_;
  std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) {
    std::string problem = fmt::format("cannot open '{}': {}", path, std::strerror(errno));
    return errno == ENOENT ? store::not_found(std::move(problem))
                           : store::io_error(std::move(problem));
  }
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(file);
    return store::io_error(fmt::format("'{}' is a folder", path));
  }
  return std::unique_ptr<Source>(std::make_unique<FileSource>(
      path, file, known ? static_cast<std::uint64_t>(status.st_size) : 0));
}

Result<std::string> read_head(Source& source, std::size_t size) {
  std::string head(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const std::size_t count = TRY(source.read(head.data() + done, size - done));
    if (count == 0) break;
    done += count;
  }
  head.resize(done);
  return head;
}

Result<std::size_t> ResumedSource::read(char* to, std::size_t room) {
  if (head_.empty()) return rest_.read(to, room);
  const std::size_t count = std::min(room, head_.size());
  std::memcpy(to, head_.data(), count);
  head_.remove_prefix(count);
  return count;
}

Result<std::size_t> TextSource::read(char* to, std::size_t room) {
  const std::size_t count = std::min(room, text_.size() - at_);
  std::memcpy(to, text_.data() + at_, count);
  at_ += count;
  return count;
}

}  // namespace spoor::import
