// How the queue works. Locked bytes of the lock file, all far after its content:
//
//   main      held by the writer. Only this byte ensures mutual exclusion.
//   guard     held briefly while a ticket is drawn.
//   ticket n  held from the moment n is drawn until its owner is done.
//
// The file contains the next ticket's number and the counters of a bell (lock_bell.h). The owner of
// ticket n waits for the byte of ticket n - 1; then for all lower tickets, which are free unless a
// waiter died; then for main. So only the first in the queue waits for main, and the order of
// arrival is kept even if waiters die. (Waiting for all lower tickets at once would also work, but
// then every release would wake the whole queue.)
//
// Usually the queue is empty. Then main is taken without a ticket: two system calls and no write.
// This is done only if no byte is locked, so no process overtakes the queue.
#include "store/lock_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace spoor::store {
namespace {

using std::chrono::steady_clock;

constexpr off_t kGuard = 0x100;
constexpr off_t kMain = 0x101;
constexpr off_t kTickets = 0x1000;
constexpr std::int64_t kLastTicket = std::int64_t{1} << 62;

using os::LockedFile;
using Answer = LockedFile::Answer;

// Bytes to lock. A length of 0 means to the end of the file, even as it grows.
struct Range {
  LockedFile::Kind kind;
  off_t start;
  off_t length;
};

// The bits of the bell's waiters. Processes that wait for the guard have a bit of their own; the
// owners of tickets share the other 31, so that few are woken in vain.
constexpr std::uint32_t kEverybody = ~0U;
constexpr std::uint32_t kAtTheGuard = 1;
std::uint32_t bit_of(std::int64_t ticket) { return 2U << static_cast<unsigned>(ticket % 31); }

// A time limit for several waits in a row.
class Patience {
 public:
  Patience(const Waiting& waiting, LockBell& bell)
      : notice_(waiting.notice), notice_at_(steady_clock::now() + Waiting::kNotice), bell_(bell) {
    if (waiting.patience) deadline_ = steady_clock::now() + *waiting.patience;
  }

  // Tries again at each ring for `who`, and every 20 ms. The kernel's own wait has no time limit,
  // and on a machine with busy readers made the longest wait about twice as long.
  Answer wait(LockedFile& file, const Range& range, std::uint32_t who) {
    constexpr steady_clock::duration kMost = std::chrono::milliseconds(20);
    for (;;) {
      const std::uint32_t rings = bell_.rings();
      const Answer answer = file.try_lock(range.kind, range.start, range.length);
      const auto now = steady_clock::now();
      if (answer != Answer::taken || (deadline_ && now >= *deadline_)) return answer;
      if (notice_ && now >= notice_at_) std::exchange(notice_, {})();
      bell_.wait(rings, who, deadline_ ? std::min(kMost, *deadline_ - now) : kMost);
    }
  }

 private:
  std::function<void()> notice_;  // Empty if unset or already called.
  steady_clock::time_point notice_at_;
  std::optional<steady_clock::time_point> deadline_;
  LockBell& bell_;
};

}  // namespace

Result<void> LockFile::open() {
  if (file_) return {};
  TRY(open_file());
  bell_.hang(file_.number());
  return {};
}

Result<void> LockFile::open_file() {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(::open(path_.c_str(), kFlags | O_CREAT | O_EXCL, permissions_));
  if (file) {
    fchmod(file.number(), permissions_);  // Overrides the umask: store writers may lock it.
  } else if (errno == EEXIST) {
    file = Descriptor(::open(path_.c_str(), kFlags));
  }
  if (file) {
    file_ = LockedFile(std::move(file));
    return {};
  }
  return io_error(fmt::format("cannot open the lock file '{}': {}", path_, std::strerror(errno)),
                  "check the permissions of the folder and of the lock file");
}

Result<void> LockFile::lock(const Waiting& waiting) {
  TRY(open());
  if (!file_.is_locked_from(kMain) &&
      file_.try_lock(LockedFile::Kind::write, kMain, 1) == Answer::granted) {
    return {};
  }
  auto joined = join_queue(waiting);
  if (!joined) {
    file_.unlock(kGuard, 0);
    ticket_.reset();
    bell_.ring(kEverybody);  // Wakes the waiters.
  }
  return joined;
}

void LockFile::unlock() {
  file_.unlock(kMain, 0);
  const auto ticket = std::exchange(ticket_, {});
  bell_.ring(ticket ? bit_of(*ticket + 1) : kEverybody);
}

bool LockFile::someone_waits() const { return file_.is_locked_from(kTickets); }

Result<void> LockFile::join_queue(const Waiting& waiting) {
  Patience patience(waiting, bell_);
  const auto wait = [&](const Range& range) -> Result<void> {
    switch (patience.wait(file_, range, ticket_ ? bit_of(*ticket_) : kAtTheGuard)) {
      case Answer::granted:
        return {};
      case Answer::taken:
        return unavailable(
            fmt::format("another program is writing to the store: it holds '{}'", path_),
            "nothing was changed; try again when it is done");
      case Answer::failed:
        break;
    }
    return io_error(fmt::format("cannot lock '{}': {}", path_, std::strerror(errno)),
                    "move the store to a local file system with file locks");
  };

  TRY(wait({LockedFile::Kind::write, kGuard, 1}));
  const std::int64_t ticket = TRY(take_ticket());
  ticket_ = ticket;
  file_.unlock(kGuard, 1);
  bell_.ring(kAtTheGuard);
  if (ticket > 0) {
    TRY(wait({LockedFile::Kind::read, kTickets + ticket - 1, 1}));
    TRY(wait({LockedFile::Kind::read, kTickets, ticket}));
    file_.unlock(kTickets, ticket);
  }
  return wait({LockedFile::Kind::write, kMain, 1});
}

// Draws a ticket, under the guard. A lost or damaged counter costs order, not safety: numbers in
// use are skipped.
Result<std::int64_t> LockFile::take_ticket() {
  std::int64_t ticket = 0;
  if (pread(file_.number(), &ticket, sizeof ticket, 0) != sizeof ticket) ticket = 0;
  if (ticket < 0 || ticket > kLastTicket) ticket = 0;
  Answer answer = Answer::taken;
  while ((answer = file_.try_lock(LockedFile::Kind::write, kTickets + ticket, 1)) == Answer::taken)
    ++ticket;

  const std::int64_t next = ticket + 1;
  if (answer == Answer::failed || pwrite(file_.number(), &next, sizeof next, 0) != sizeof next) {
    return io_error(fmt::format("cannot use '{}': {}", path_, std::strerror(errno)),
                    "check the owner of the folder and the free space of the disk");
  }
  return ticket;
}

}  // namespace spoor::store
