#include "store/sqlite/wal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "store/sqlite/log_end.h"

namespace spoor::store::sqlite {
namespace {

constexpr std::uint32_t kMagic = 0x377f0682;  // Last bit set: numbers are big-endian in sums.
constexpr std::size_t kSalts = 16;            // Their offset in the header.
constexpr std::size_t kHeaderSum = 24;
constexpr std::size_t kSummedOfFrame = 8;  // Bytes of its header; then the page.
constexpr std::size_t kFrameSalts = 8;
constexpr std::size_t kFrameSum = 16;

using Bytes = std::span<const unsigned char>;

struct Sum {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool operator==(const Sum&) const = default;
};

std::uint32_t number_at(Bytes bytes, std::size_t at, bool is_big) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8U | bytes[at + (is_big ? i : 3 - i)];
  }
  return number;
}

Sum sum_at(Bytes bytes, std::size_t at) {
  return {number_at(bytes, at, true), number_at(bytes, at + 4, true)};
}

Sum add(Sum sum, Bytes bytes, bool is_big) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    sum.first += number_at(bytes, at, is_big) + sum.second;
    sum.second += number_at(bytes, at + 4, is_big) + sum.first;
  }
  return sum;
}

// A file with random-access reads.
class LogFile {
 public:
  explicit LogFile(const std::string& store_path) : path_(store_path + "-wal") {}
  ~LogFile() {
    if (file_ >= 0) close(file_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Opens the file and returns its size; 0 if it does not exist.
  Result<std::uint64_t> open() {
    file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file_ < 0 && errno == ENOENT) return std::uint64_t{0};
    struct stat found {};
    if (file_ < 0 || fstat(file_, &found) != 0) return failed();
    return static_cast<std::uint64_t>(found.st_size);
  }

  // Fills the buffer; false if the file ends before.
  Result<bool> read(std::vector<unsigned char>& buffer, std::int64_t at) {
    const ssize_t size = pread(file_, buffer.data(), buffer.size(), at);
    if (size < 0) return failed();
    return static_cast<std::size_t>(size) == buffer.size();
  }

 private:
  Error failed() const {
    return io_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
  }
  std::string path_;
  int file_ = -1;
};

// The state of a scan: first within the valid frames, then after them.
class Scan {
 public:
  // Scans the frames even if the header is damaged.
  void take_header(Bytes header, LogScan& scan) {
    const std::uint32_t magic = number_at(header, 0, true);
    is_big_ = (magic & 1U) != 0;
    chain_ = add({}, header.first(kHeaderSum), is_big_);
    std::copy_n(header.begin() + kSalts, salts_.size(), salts_.begin());
    is_valid_ = (magic & ~1U) == kMagic && sum_at(header, kHeaderSum) == chain_;
    if (is_valid_) scan.salts = salts_;
  }

  void take_frame(std::uint32_t number, Bytes frame, LogScan& scan) {
    LogSalts salts;
    std::copy_n(frame.begin() + kFrameSalts, salts.size(), salts.begin());
    if (number == 1 && !is_valid_) salts_ = salts;  // The header's are not reliable.
    const Sum stored = sum_at(frame, kFrameSum);
    const bool is_commit = number_at(frame, 4, true) != 0;
    const Sum sum = sum_after(chain_, frame);
    const bool follows = salts == salts_ && sum == stored;
    if (is_valid_ && follows) {
      if (is_commit) scan.frames = number;
    } else if (scan.invalid == 0) {
      scan.invalid = number;
      is_valid_ = false;
      other_chain_ = sum;  // The stored sum may be the damaged part.
    } else {
      const bool looks_right =
          salts == salts_ && (follows || sum_after(other_chain_, frame) == stored);
      if (looks_right && is_commit) ++scan.commits_after;
      other_chain_ = stored;
    }
    chain_ = stored;
  }

 private:
  Sum sum_after(Sum sum, Bytes frame) const {
    sum = add(sum, frame.first(kSummedOfFrame), is_big_);
    return add(sum, frame.subspan(kFrameHeaderSize), is_big_);
  }

  bool is_big_ = false;
  bool is_valid_ = false;
  LogSalts salts_{};
  Sum chain_;        // The sum stored in the previous frame.
  Sum other_chain_;  // The computed sum, if the stored one is damaged.
};

Result<LogScan> read_log(const std::string& path, bool only_header) {
  LogScan scan;
  LogFile file(path);
  scan.size = TRY(file.open());
  std::vector<unsigned char> header(kLogHeaderSize);
  if (scan.size == 0 || !TRY(file.read(header, 0))) return scan;
  Scan at;
  at.take_header(header, scan);
  if (only_header) return scan;
  std::vector<unsigned char> frame(kFrameSize);
  for (std::uint32_t number = 1; TRY(file.read(frame, offset_of_frame(number - 1))); ++number) {
    at.take_frame(number, frame, scan);
  }
  return scan;
}

}  // namespace

Result<LogScan> read_log_header(const std::string& path) { return read_log(path, true); }

Result<LogScan> scan_log(const std::string& path) { return read_log(path, false); }

}  // namespace spoor::store::sqlite
