#include "import/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace spoor::import {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 256U << 10U;
constexpr std::size_t kKeep = 4U << 20U;  // Larger buffers are shrunk.

class FileSource final : public Source {
 public:
  FileSource(std::string name, int file, std::uint64_t size)
      : name_(std::move(name)), file_(file), size_(size) {}
  ~FileSource() override { ::close(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  const std::string& name() const override { return name_; }
  std::string path() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return size_; }

  Result<std::size_t> read(char* to, std::size_t room) override {
    for (;;) {
      const ::ssize_t count = ::read(file_, to, room);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) {
        return io_error(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
      }
    }
  }

 private:
  std::string name_;
  int file_;
  std::uint64_t size_;
};

Error cannot_read(const std::string& path, const std::error_code& error) {
  return io_error(fmt::format("cannot read '{}': {}", path, error.message()),
                  "name the folder or the files of an agent, such as ~/.claude/projects");
}

}  // namespace

bool may_be_session(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(".aider.chat.history.md")) return true;
  if (name.starts_with("opencode") && name.ends_with(".db")) return true;
  const fs::path extension = path.extension();
  return extension == ".jsonl" || extension == ".json" || extension == ".traj" ||
         extension == ".eval";
}

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) {
    const bool is_missing = errno == ENOENT;
    std::string problem = fmt::format("cannot open '{}': {}", path, std::strerror(errno));
    return is_missing ? not_found(std::move(problem)) : io_error(std::move(problem));
  }
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(file);
    return io_error(fmt::format("'{}' is a folder", path));
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

Result<std::vector<std::string>> session_files(const std::string& path,
                                               std::vector<std::string>* unreadable) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return not_found(fmt::format("no file or folder '{}'", path));
  }
  if (error) return cannot_read(path, error);
  if (status.type() != fs::file_type::directory) return std::vector<std::string>{path};

  std::vector<std::string> files;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;  // An entry removed in the meantime is not a file.
    if (may_be_session(entry->path()) && entry->is_regular_file(ignored)) {
      files.push_back(entry->path().string());
    }
    const bool is_closed =
        entry->is_directory(ignored) && ::access(entry->path().c_str(), R_OK | X_OK) != 0;
    if (is_closed && unreadable != nullptr) unreadable->push_back(entry->path().string());
  }
  if (error) return cannot_read(path, error);
  if (files.empty() && (unreadable == nullptr || unreadable->empty())) {
    return not_found(fmt::format("no session file in '{}'", path),
                     "session files are named *.jsonl, *.json, *.traj, *.eval, opencode*.db or "
                     ".aider.chat.history.md");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Reads one more block after the buffered data. Returns false at the end.
Result<bool> LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < kBlock && buffer_.capacity() > kKeep) buffer_.shrink_to_fit();
  }
  const std::size_t size = buffer_.size();
  // Grows by at least half, so that a byte of a long line is copied O(1) times.
  const std::size_t room = std::max(kBlock, size / 2);
  buffer_.resize(size + room);
  auto count = source_.read(buffer_.data() + size, room);
  if (!count) return std::move(count).error();
  buffer_.resize(size + count.value());
  bytes_ = buffer_;
  at_end_ = count.value() == 0;
  return !at_end_;
}

/// Returns the line from begin_ to `end`, without its text if it is too long.
Line LineReader::take(std::size_t end, bool ended) {
  const std::uint64_t size = dropped_ + (end - begin_);
  Line line{bytes_.substr(begin_, end - begin_), ++number_, ended};
  if (size > most_) {
    line.text = {};
    line.dropped = size;
  }
  dropped_ = 0;
  const std::uint64_t behind = ended ? 1 : 0;
  bytes_done_ += size + behind;
  begin_ = scanned_ = end + behind;
  return line;
}

Result<std::optional<Line>> LineReader::next() {
  for (;;) {
    const std::size_t end = bytes_.find('\n', scanned_);
    if (end != std::string::npos) return std::optional(take(end, true));
    scanned_ = bytes_.size();
    if (dropped_ + (scanned_ - begin_) > most_) {
      dropped_ += scanned_ - begin_;
      begin_ = scanned_;
    }
    if (!TRY(fill())) break;
  }
  if (begin_ == bytes_.size() && dropped_ == 0) return std::optional<Line>();
  return std::optional(take(bytes_.size(), false));
}

}  // namespace spoor::import
