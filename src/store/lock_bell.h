#pragma once

#include <chrono>
#include <cstdint>

namespace spoor::store {

/// Wakes processes that wait for a lock file. Two counters in the file, which all of them have
/// mapped: how often it rang, and how many wait. Nothing rests on it: who is not woken, because a
/// holder died or cannot ring, looks again by itself. Safe to call from any thread.
class LockBell {
 public:
  LockBell() = default;
  ~LockBell();
  LockBell(const LockBell&) = delete;
  LockBell& operator=(const LockBell&) = delete;

  /// Maps the counters, bytes 8 to 15 of a file open for reading and writing, and makes them where
  /// they are missing. Where that is not possible the bell is never heard.
  void hang(int file);

  /// How often it rang. Read it before looking at the lock.
  std::uint32_t rings() const;

  /// Sleeps until it has rung more often than `rings` for one of `who`, a set of bits; or for
  /// `most`, a few milliseconds.
  void wait(std::uint32_t rings, std::uint32_t who, std::chrono::nanoseconds most);

  /// Wakes who waits for one of `whom`. Costs no call of the system where nobody waits.
  void ring(std::uint32_t whom);

 private:
  struct Counters {
    std::uint64_t ticket;  // The lock file's own.
    std::uint32_t rings;
    std::uint32_t waiting;  // Too many, if some died; that costs a call.
  };
  Counters* counters_ = nullptr;
};

}  // namespace spoor::store
