#pragma once

#include <chrono>
#include <cstdint>

namespace spoor::store {

/// Wakes processes that wait for a lock file. Uses two counters in the file, mapped by all
/// processes: the number of rings and the number of waiters. Correctness does not depend on it: a
/// process that is not woken, because a holder died or cannot ring, checks the lock again by
/// itself. Safe to call from any thread.
class LockBell {
 public:
  LockBell() = default;
  ~LockBell();
  LockBell(const LockBell&) = delete;
  LockBell& operator=(const LockBell&) = delete;

  /// Maps the counters, bytes 8 to 15 of a file open for reading and writing, and creates them if
  /// missing. If that fails, wait() only sleeps.
  void hang(int file);

  /// Returns the number of rings. Read it before checking the lock.
  std::uint32_t rings() const;

  /// Sleeps until a ring after number `rings` for one of the bits in `who`, or for `most`, a few
  /// milliseconds.
  void wait(std::uint32_t rings, std::uint32_t who, std::chrono::nanoseconds most);

  /// Wakes the waiters for one of the bits in `whom`. Makes no system call if there are no waiters.
  void ring(std::uint32_t whom);

 private:
  struct Counters {
    std::uint64_t ticket;  // Used by LockFile.
    std::uint32_t rings;
    std::uint32_t waiting;  // Too high if some died; that costs a system call.
  };
  Counters* counters_ = nullptr;
};

}  // namespace spoor::store
