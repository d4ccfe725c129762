#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace spoor::store {

/// Lets the threads of a process write one at a time, in order of arrival. Taken
/// again by the thread that has it, it counts; so a commit works inside
/// Store::exclusive(). std::mutex promises neither.
class WriterQueue {
 public:
  /// Waits for its turn. With `patience`, gives up after that long and answers false.
  bool lock(std::optional<std::chrono::milliseconds> patience = {});
  void unlock();

  /// How often the calling thread holds it; 0 when another does, or none.
  int depth() const;

  /// How many threads wait now.
  std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable granted;
    std::thread::id thread;
    bool has_turn = false;
  };

  mutable std::mutex mutex_;
  std::list<Waiter*>
      waiting_;            // Guarded by mutex_, as all below. Each lives on its thread's stack.
  std::thread::id owner_;  // No thread's when depth_ is 0.
  int depth_ = 0;
};

}  // namespace spoor::store
