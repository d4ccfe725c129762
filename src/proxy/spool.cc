#include "proxy/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/os/process.h"

namespace spoor::proxy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnd = ".exchange";

Error failed(std::string_view what, const std::string& path) {
  return io_error(fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)),
                  "check the folder and the space on its disk");
}

Result<void> write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Names this process or another: its number and when it began, as a number is given to another
// process later. Empty: there is none.
std::string name_of_process(const std::string& number) {
  pid_t process = 0;
  std::from_chars(number.data(), number.data() + number.size(), process);
  const std::string begin = os::begin_of_process(process);
  return begin.empty() ? begin : number + "." + begin;
}

// The process in the name `TIME-NUMBER-PROCESS.exchange`.
std::string owner_of(const std::string& name) {
  const std::string stem = name.substr(0, name.size() - std::min(name.size(), kEnd.size()));
  return stem.substr(stem.rfind('-') + 1);
}

bool is_alive(const std::string& process) {
  return !process.empty() && name_of_process(process.substr(0, process.find('.'))) == process;
}

Result<void> make_folder(const std::string& path) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failed("make", path);
}

}  // namespace

bool may_pass(const Error& error) {
  using Code = Error::Code;
  return error.code == Code::io || error.code == Code::unavailable ||
         error.code == Code::conflict || error.code == Code::interrupted;
}

struct Spool::Shared {
  std::atomic<std::uint64_t> count;
  std::array<char, 48> reason;
};

Spool::Spool(std::string folder)
    : folder_(std::move(folder)), owner_(name_of_process(std::to_string(::getpid()))) {
  void* page =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared_ = page == MAP_FAILED ? nullptr : new (page) Shared();
}

bool Spool::is_own(const std::string& name) const { return owner_of(name) == owner_; }

Result<std::optional<Spool::Claim>> Spool::claim(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  Claim claim(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!claim && errno == ENOENT) return std::optional<Claim>();
  if (!claim) return failed("read", path);
  struct stat found {};
  const bool is_mine = ::flock(claim.number(), LOCK_EX | LOCK_NB) == 0 &&
                       ::fstat(claim.number(), &found) == 0 && found.st_nlink > 0;
  return is_mine ? std::optional(std::move(claim)) : std::optional<Claim>();
}

Result<Spool> Spool::open(std::string folder) {
  TRY(make_folder(folder));
  return Spool(std::move(folder));
}

Result<void> Spool::put(const Exchange& exchange) const {
  static std::atomic<unsigned> count = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string name = fmt::format("{:020}-{:06}-{}", std::chrono::nanoseconds(now).count(),
                                       count++ % 1'000'000, owner_);
  const std::string path = folder_ + "/" + name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed("make", path);
  (void)::flock(file, LOCK_EX | LOCK_NB);  // names() of another process sees that it is at work.
  auto written = write_all(file, describe(exchange) + "\n", path);
  for (const std::string* body : {&exchange.request, &exchange.response}) {
    if (written) written = write_all(file, *body, path);
  }
  if (::close(file) != 0 && written) written = failed("write", path);
  if (written && ::rename(path.c_str(), (path + std::string(kEnd)).c_str()) != 0) {
    written = failed("name", path);
  }
  if (!written) ::unlink(path.c_str());
  return written;
}

// Whether this process has the exchanges of those that have ended.
bool Spool::adopts() const {
  if (adopting_) return true;
  Claim folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) return false;
  adopting_ = std::move(folder);
  return true;
}

Result<std::vector<std::string>> Spool::names() const {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::string name = entry.path().filename().string();
    const bool is_whole = name.ends_with(kEnd);
    if (!is_whole && std::count(name.begin(), name.end(), '-') != 2) continue;  // `dropped`.
    const std::string owner = owner_of(is_whole ? name : name + std::string(kEnd));
    const bool is_own = owner == owner_;
    const bool is_left = !is_own && !is_alive(owner) && adopts();
    if (!is_whole && is_left && TRY(claim(name))) ::unlink(entry.path().c_str());
    if (is_whole && (is_own || is_left)) all.push_back(std::move(name));
  }
  if (error) return io_error(fmt::format("cannot read '{}': {}", folder_, error.message()));
  std::sort(all.begin(), all.end());
  return all;
}

Result<Exchange> Spool::read(const std::string& name) const {
  std::ifstream file(folder_ + "/" + name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return failed("read", folder_ + "/" + name);
  return parse_exchange(bytes);
}

Result<void> Spool::remove(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return failed("remove", path);
}

void Spool::note_dropped(std::string_view reason) const {
  if (shared_ != nullptr) {
    const std::size_t size = std::min(reason.size(), shared_->reason.size() - 1);
    std::memcpy(shared_->reason.data(), reason.data(), size);
    shared_->reason.at(size) = '\0';
    ++shared_->count;
  }
  const std::string path = folder_ + "/dropped";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;  // The disk that keeps it from being recorded also keeps this from it.
  (void)write_all(file, fmt::format("{} {}\n", SystemClock().now().text(), reason), path);
  ::close(file);
}

Spool::Dropped Spool::dropped() const {
  if (shared_ == nullptr) return {};
  return {shared_->count, shared_->reason.data()};
}

Result<void> Spool::refuse(const std::string& name) const {
  const std::string folder = folder_ + "/refused";
  TRY(make_folder(folder));
  if (::rename((folder_ + "/" + name).c_str(), (folder + "/" + name).c_str()) == 0) return {};
  return failed("move", folder_ + "/" + name);
}

}  // namespace spoor::proxy
