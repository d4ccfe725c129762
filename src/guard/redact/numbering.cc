#include "guard/redact/numbering.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/os/durable.h"
#include "store/oid.h"
#include "store/sha256.h"

namespace spoor::guard {
namespace {

constexpr std::size_t kKeyDigits = 64;
constexpr std::size_t kMacDigits = 32;

// Locks other processes out.
class FileLock {
 public:
  explicit FileLock(int file) : file_(file) {
    while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { ::flock(file_, LOCK_UN); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

std::string mac_of(std::string_view key, std::string_view rule, std::string_view secret) {
  std::string message(rule);
  message.push_back('\0');
  message.append(secret);
  return store::hmac_sha256(key, message).hex(kMacDigits);
}

}  // namespace

Result<std::uint64_t> MemoryNumbering::number_of(std::string_view rule, std::string_view secret) {
  const std::lock_guard lock(mutex_);
  auto& numbers = numbers_[std::string(rule)];
  return numbers.emplace(std::string(secret), numbers.size() + 1).first->second;
}

NumberFile::~NumberFile() {
  if (file_ >= 0) ::close(file_);
}

Result<void> NumberFile::open() {
  if (file_ >= 0) return {};
  const int file = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) {
    return denied("the key that numbers this store's placeholders is missing",
                  fmt::format("restore it to '{}'; see 'spoor help redact'", path_));
  }
  if (file < 0) {
    return io_error(fmt::format("cannot open '{}': {}", path_, std::strerror(errno)));
  }
  struct stat about {};
  if (::fstat(file, &about) == 0 && (about.st_mode & 077) != 0) {
    ::close(file);
    return denied(fmt::format("other users can read the key '{}'", path_),
                  fmt::format("chmod 600 '{}'", path_));
  }
  file_ = file;
  return {};
}

// Reads the lines that any process has added since.
Result<void> NumberFile::read_on() {
  std::string text;
  std::array<char, 1U << 14U> buffer{};
  while (true) {
    const ssize_t count =
        ::pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(read_ + text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return io_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
    }
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      return corrupt(fmt::format("the last line of '{}' is cut off", path_), "remove the line");
    }
    TRY(take_line(std::string_view(text).substr(begin, end - begin)));
    read_ += end + 1 - begin;
    begin = end + 1;
  }
  return {};
}

Result<void> NumberFile::take_line(std::string_view line) {
  const auto malformed = [&] {
    return corrupt(fmt::format("'{}' has no key, or contains an invalid line", path_));
  };
  if (key_.empty()) {
    const auto key = store::Oid::from_hex(line);
    if (line.size() != kKeyDigits || !key) return malformed();
    key_ = key->view();
    return {};
  }
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos || space < kMacDigits + 2 || line[kMacDigits] != ' ') {
    return malformed();
  }
  std::uint64_t number = 0;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + space + 1, end, number);
  if (error != std::errc() || stop != end) return malformed();
  const std::string rule(line.substr(kMacDigits + 1, space - kMacDigits - 1));
  numbers_.emplace(std::string(line.substr(0, kMacDigits)), number);
  last_[rule] = std::max(last_[rule], number);
  return {};
}

Result<void> NumberFile::append(std::string_view line) {
  const ssize_t count = ::write(file_, line.data(), line.size());
  if (count != static_cast<ssize_t>(line.size()) || os::sync_data(file_) != 0) {
    return io_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  }
  return {};
}

Result<std::uint64_t> NumberFile::number_of(std::string_view rule, std::string_view secret) {
  const std::lock_guard lock(mutex_);
  TRY(open());
  if (key_.empty()) {
    const FileLock others(file_);
    TRY(read_on());
    if (key_.empty()) return corrupt(fmt::format("'{}' is empty", path_));
  }
  const std::string mac = mac_of(key_, rule, secret);
  if (const auto known = numbers_.find(mac); known != numbers_.end()) return known->second;

  const FileLock others(file_);
  TRY(read_on());
  if (const auto known = numbers_.find(mac); known != numbers_.end()) return known->second;
  const std::string name(rule);
  const std::uint64_t number = last_[name] + 1;
  TRY(append(fmt::format("{} {} {}\n", mac, rule, number)));
  TRY(read_on());
  return number;
}

}  // namespace spoor::guard
