#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "store/lock_file.h"
#include "store/writer_queue.h"

namespace spoor::store {

/// Who may write to a store now: one thread of one process, in order of arrival,
/// first among the threads of a process, then among the processes. What the
/// thread that has it takes again is counted. Everything that appends to the
/// log, checkpoints it or closes it with a checkpoint does so under this lock.
class WriterLock {
 public:
  WriterLock(std::string path, unsigned permissions) : file_(std::move(path), permissions) {}

  /// The turn, given back when this goes. Stays on its thread.
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

  /// Waits for the turn.
  Result<Hold> take(const Waiting& waiting = {});

 private:
  void give_back();

  WriterQueue queue_;  // Taken first.
  LockFile file_;      // Used by the thread that has queue_.
};

}  // namespace spoor::store
