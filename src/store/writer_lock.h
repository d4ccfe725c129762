#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "store/lock_file.h"
#include "store/writer_queue.h"

namespace spoor::store {

/// A lock for writing to a store: one thread of one process at a time, in order of arrival, first
/// among the threads of a process, then among the processes. Recursive: the holder's thread may
/// take it again. All writes to the log, its checkpoints, and closing with a checkpoint happen
/// under this lock.
class WriterLock {
 public:
  WriterLock(std::string path, unsigned permissions) : file_(std::move(path), permissions) {}

  /// The held lock; released on destruction, on the same thread.
  class Hold {
   public:
    explicit Hold(WriterLock& lock) : lock_(&lock) {}
    Hold(Hold&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (lock_ != nullptr) lock_->give_back();
    }

   private:
    WriterLock* lock_;
  };

  /// Waits for the lock.
  Result<Hold> take(const Waiting& waiting = {});

 private:
  void give_back();

  WriterQueue queue_;  // Taken first.
  LockFile file_;      // Used by the thread that holds queue_.
};

}  // namespace spoor::store
