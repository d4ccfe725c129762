#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace spoor::store {

/// A lock for the threads of a process, granted in order of arrival. Recursive, so that a commit
/// works inside Store::exclusive(). std::mutex promises neither.
class WriterQueue {
 public:
  /// Waits for its turn. With `patience`, gives up after that time and returns false.
  bool lock(std::optional<std::chrono::milliseconds> patience = {});
  void unlock();

  /// Returns how often the calling thread holds the lock; 0 if it does not.
  int depth() const;

  /// Returns the number of waiting threads.
  std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable granted;
    std::thread::id thread;
    bool has_turn = false;
  };

  mutable std::mutex mutex_;
  std::list<Waiter*> waiting_;  // Guarded by mutex_, like all below. Each is on its thread's stack.
  std::thread::id owner_;       // No thread's if depth_ is 0.
  int depth_ = 0;
};

}  // namespace spoor::store
