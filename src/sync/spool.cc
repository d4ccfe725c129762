#include "sync/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>

namespace spoor::sync {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 16;
constexpr std::size_t kNameDigits = 32;
constexpr auto kForgotten = std::chrono::hours(24 * 7);

Error failed(std::string_view what) {
  return io_error(fmt::format("cannot {} a transfer's file: {}", what, std::strerror(errno)),
                  "check the free space and the permissions of the store's folder");
}

std::string prefix_of(const std::string& file) { return file + "-incoming-"; }

std::vector<fs::path> spools_of(const std::string& file) {
  std::vector<fs::path> found;
  std::error_code problem;
  const fs::path prefix = prefix_of(file);
  const fs::path folder = prefix.has_parent_path() ? prefix.parent_path() : fs::path(".");
  for (const auto& each : fs::directory_iterator(folder, problem)) {
    if (each.path().filename().string().starts_with(prefix.filename().string())) {
      found.push_back(each.path());
    }
  }
  return found;
}

bool is_free(const Descriptor& file) { return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0; }

// Waits a little: a connection that broke may still be served.
bool becomes_free(const Descriptor& file) {
  constexpr std::chrono::milliseconds kPause{100};
  for (int i = 0; i < 50; ++i) {
    if (is_free(file)) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

// Removes other transfers that nothing was added to for a week, and the oldest of too many. Those
// that go on do not count: else whoever begins many keeps everybody out.
void make_room(const std::string& file, const std::string& path) {
  std::multimap<fs::file_time_type, fs::path> idle;
  for (const fs::path& each : spools_of(file)) {
    std::error_code problem;
    const auto written = fs::last_write_time(each, problem);
    if (each == path || problem) continue;
    const Descriptor opened(::open(each.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (opened && is_free(opened)) idle.emplace(written, each);
  }
  const auto forgotten = fs::file_time_type::clock::now() - kForgotten;
  std::size_t left = idle.size();
  for (const auto& [written, each] : idle) {
    std::error_code problem;
    const bool is_removed = (left >= kMost || written < forgotten) && fs::remove(each, problem);
    if (is_removed) --left;
  }
}

// Returns the head of an archive, with its first line.
Result<std::string> whole_head(LineInput& input) {
  std::string head = TRY(input.line());
  return head + TRY(store::read_head_text(input));
}

}  // namespace

Result<Spool> Spool::open(const std::string& file, const Oid& name) {
  const std::string path = prefix_of(file) + name.hex(kNameDigits);
  make_room(file, path);
  // In a folder of several users, another may have put something there.
  Descriptor opened(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat about {};
  if (!opened || ::fstat(opened.number(), &about) != 0) return failed("make");
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || about.st_nlink > 1) {
    return denied(fmt::format("'{}' is not this user's file", path), "remove it");
  }
  if (!becomes_free(opened)) {
    return unavailable("the same transfer is going on in another process", "wait for it to end");
  }
  Spool spool(std::move(opened), path);
  TRY(spool.find_end());
  return spool;
}

// Finds the last whole part, and cuts off what follows it.
Result<void> Spool::find_end() {
  const ByteSource source = read();
  LineInput input(source);
  auto head = whole_head(input);
  if (!head) return cut(0);
  head_ = std::move(head).value();
  std::uint64_t end = head_.size();
  store::PartReader parts(input, store::chain_of_head(head_));
  Oid chain = parts.chain();
  while (true) {
    const auto piece = parts.next();
    if (!piece || !*piece || parts.is_ended()) break;
    end += (*piece)->size();
    chain = parts.chain();
  }
  chain_ = chain;
  return cut(end);
}

Result<void> Spool::cut(std::uint64_t size) {
  if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) return failed("cut");
  size_ = size;
  if (size > 0) return {};
  head_.clear();
  chain_.reset();
  return {};
}

Result<void> Spool::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed("write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
  return {};
}

Result<void> Spool::begin(LineInput& archive, bool goes_on, std::uint64_t most) {
  std::string head = TRY(whole_head(archive));
  if (!goes_on || head != head_ || !chain_) {
    if (goes_on) return invalid("the archive does not go on where this one ended");
    TRY(cut(0));
    TRY(append(head));
    head_ = std::move(head);
    chain_ = store::chain_of_head(head_);
  }
  coming_ = &archive;
  most_ = most;
  return {};
}

Result<void> Spool::add_part() {
  store::PartReader parts(*coming_, *chain_);
  const std::string piece = *TRY(parts.next());
  if (size_ + piece.size() > most_) {
    return denied(fmt::format("the transfer has more than {} bytes", most_),
                  "send fewer commits at once");
  }
  TRY(append(piece));
  chain_ = parts.chain();
  if (!parts.is_ended()) return {};
  if (!TRY(coming_->is_at_end())) return store::damaged_archive("there is data after its end");
  coming_ = nullptr;
  return {};
}

ByteSource Spool::read() {
  return [this, at = std::uint64_t{0}](std::span<char> to) mutable -> Result<std::size_t> {
    while (at == size_ && coming_ != nullptr) TRY(add_part());
    while (true) {
      const ssize_t count = ::pread(file_.number(), to.data(), to.size(), static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed("read");
      at += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
  };
}

void Spool::discard() {
  ::unlink(path_.c_str());
  file_.close();
}

std::vector<FetchRequest> begun_fetches(const std::string& file) {
  std::vector<FetchRequest> begun;
  for (const fs::path& each : spools_of(file)) {
    const Descriptor opened(::open(each.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const ByteSource source = [&](std::span<char> to) -> Result<std::size_t> {
      const ssize_t count = ::read(opened.number(), to.data(), to.size());
      if (count < 0) return failed("read");
      return static_cast<std::size_t>(count);
    };
    LineInput input(source);
    const auto head = whole_head(input);
    if (!head) continue;
    // A fetch's lines `want` are the archive's lines `ref`.
    std::string wants;
    std::string haves;
    for (std::string_view rest = *head; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      rest.remove_prefix(line.size());
      if (line.starts_with("ref ")) wants.append("want ").append(line.substr(4));
      if (line.starts_with("have ")) haves.append(line);
    }
    auto request = parse_fetch(wants + haves);
    if (!request) continue;
    const std::string path = prefix_of(file) + transfer_name(*request).hex(kNameDigits);
    if (path == each) begun.push_back(std::move(*request));
  }
  return begun;
}

bool has_spools(const std::string& file) {
  return std::ranges::any_of(spools_of(file), [](const fs::path& each) {
    std::error_code problem;
    return fs::file_size(each, problem) > 0 && !problem;
  });
}

void remove_spools(const std::string& file) {
  std::error_code problem;
  for (const fs::path& each : spools_of(file)) fs::remove(each, problem);
}

}  // namespace spoor::sync
