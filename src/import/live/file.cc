#include "import/live/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "import/source.h"
#include "store/store.h"

namespace spoor::import {
namespace {

constexpr std::size_t kPart = 1U << 20U;
constexpr std::size_t kCompared = 256;       // Bytes, to see if a file was rewritten.
constexpr int kShare = 20;                   // The part of the time for files that are read whole.
constexpr std::chrono::seconds kCommit{30};  // From writing a log to its index, on a busy disk.
constexpr std::int64_t kBefore = 2'000'000;  // Microseconds; a row's time is from before its write.

Error unreadable(const std::string& path) {
  return io_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
}

// Whether what was written to the log of a database may become readable without another write: the
// last word of a commit is in memory that is shared, of which inotify says nothing.
bool may_be_committing(const store::sqlite::FileStamp& stamp) {
  const std::int64_t age = SystemClock().now().micros - stamp.log_written / 1000;
  return stamp.has_index && age < std::chrono::microseconds(kCommit).count();
}

// The time that this process took of the processors. One that waits for a lock or a disk takes
// none.
std::chrono::nanoseconds time_taken() {
  timespec taken{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &taken);
  return std::chrono::seconds(taken.tv_sec) + std::chrono::nanoseconds(taken.tv_nsec);
}

// Appends up to `most` bytes from `at` on.
Result<std::size_t> read_at(int file, std::uint64_t at, std::size_t most, const std::string& path,
                            std::string& to) {
  const std::size_t before = to.size();
  to.resize(before + most);
  ssize_t size = 0;
  do {
    size = ::pread(file, to.data() + before, most, static_cast<off_t>(at));
  } while (size < 0 && errno == EINTR);
  to.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size < 0) return unreadable(path);
  return static_cast<std::size_t>(size);
}

}  // namespace

Result<bool> LiveFile::update() {
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found {};
  // Not there, or not this user's to read: the others go on.
  if (!file) return false;
  if (::fstat(file.number(), &found) != 0) return unreadable(path_);
  if (!S_ISREG(found.st_mode)) return false;
  const store::sqlite::FileStamp stamp = store::sqlite::stamp_of(path_);
  const bool is_other = inode_ != 0 && (found.st_ino != inode_ || stamp.size < read_ ||
                                        TRY(is_rewritten(file.number())));
  if (is_other) {
    if (live_) TRY(finish());
    is_whole_ = is_foreign_ = false;
    read_ = 0;
    stamp_ = {};
    before_.clear();
    tail_.clear();
  }
  inode_ = found.st_ino;
  waits_ = false;
  if (is_foreign_ && stamp == stamp_) return false;
  is_foreign_ = false;
  if (!live_ && !is_whole_ && !TRY(begin(file.number()))) {
    is_foreign_ = true;
    stamp_ = stamp;
    return false;
  }
  if (live_) return read_new(file.number());
  const bool is_early = std::chrono::steady_clock::now() < next_;
  waits_ = stamp == stamp_ ? may_be_committing(stamp) : is_early;
  if (stamp == stamp_ || is_early) return false;
  waits_ = may_be_committing(stamp);
  stamp_ = stamp;
  return import_whole();
}

// Finds the importer by the front of the file. False: there is none, yet.
Result<bool> LiveFile::begin(int file) {
  std::string head;
  TRY(read_at(file, 0, kHead, path_, head));
  TextSource source(path_, head);
  const auto recognised = recognise(source);
  if (!recognised && recognised.error().code != Error::Code::invalid) return recognised.error();
  if (!recognised || recognised->importer == nullptr) return false;
  const Importer& importer = *recognised->importer;
  if (!importer_.empty() && importer.name != importer_) return false;
  if (importer.open != nullptr) live_ = importer.open(importer.name, path_, head, repository_);
  is_whole_ = !live_;
  return true;
}

// Whether the bytes before those to be read are others than they were.
Result<bool> LiveFile::is_rewritten(int file) const {
  std::string now;
  TRY(read_at(file, read_ - before_.size(), before_.size(), path_, now));
  return now != before_;
}

Result<bool> LiveFile::read_new(int file) {
  bool has_new = false;
  while (true) {
    const std::size_t size = TRY(read_at(file, read_, kPart, path_, tail_));
    read_ += size;
    before_.append(tail_, tail_.size() - size);
    before_.erase(0, before_.size() - std::min(before_.size(), kCompared));
    const std::size_t end = tail_.rfind('\n');
    if (end != std::string::npos) {
      TRY(live_->add(std::string_view(tail_).substr(0, end + 1)));
      tail_.erase(0, end + 1);
      has_new = true;
    }
    if (tail_.size() > kMostLineBytes) {  // No record is so long: as an import passes it over.
      live_.reset();
      tail_.clear();
      is_whole_ = true;
      return import_whole();
    }
    if (size < kPart) break;
  }
  if (has_new) note(live_->report());
  return has_new;
}

Result<bool> LiveFile::import_whole() {
  const auto before = time_taken();
  const Timestamp seen = SystemClock().now();
  const auto source = TRY(open_file(path_));
  const ImportOptions options{.since = is_ending_ ? since_ : seen_, .is_growing = !is_ending_};
  const auto report = import_source(*source, repository_, options);
  next_ = std::chrono::steady_clock::now() + kShare * (time_taken() - before);
  if (!report && report.error().code != Error::Code::invalid) return report.error();
  if (report) note(*report);
  if (report) seen_ = std::max(seen_, Timestamp{seen.micros - kBefore});
  return report.has_value();
}

Result<bool> LiveFile::finish() {
  if (live_) {
    if (!tail_.empty()) TRY(live_->add(tail_ + "\n"));
    TRY(live_->finish());
    note(live_->report());
    live_.reset();
    read_ = 0;
    stamp_ = {};
    inode_ = 0;
    before_.clear();
    tail_.clear();
    return true;
  }
  next_ = {};
  stamp_ = {};
  is_ending_ = true;
  auto updated = update();
  is_ending_ = false;
  return updated;
}

void LiveFile::note(const LossReport& report) {
  for (const ImportedRef& ref : report.refs) {
    if (ref.name.starts_with(store::branch_ref(""))) branches_.insert(ref.name);
  }
}

}  // namespace spoor::import
