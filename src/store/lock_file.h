#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "store/result.h"

namespace spoor::store {

/// A lock between processes that is granted in order of arrival: a queue in a
/// small file of its own. The kernel holds it (open file description locks), so
/// it is released when a process dies, however it dies; the file itself stays.
///
/// One holder at a time per LockFile object: callers of one object take turns
/// above (WriterLock). Two objects on the same file exclude each other, also
/// within one process. A child made by fork() shares its parent's lock, so do
/// not carry one over; programs started by exec do not get it.
class LockFile {
 public:
  /// Opens or creates the file at the first lock(). `permissions` are a new file's.
  LockFile(std::string path, unsigned permissions)
      : path_(std::move(path)), permissions_(permissions) {}
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Waits for its turn. With `patience`, Code::unavailable after about that long.
  Result<void> lock(std::optional<std::chrono::milliseconds> patience = {});
  void unlock();

  /// For the holder: does someone stand in the queue now?
  bool someone_waits() const;

 private:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  Result<void> open();
  Result<void> join_queue(const Deadline& deadline);
  Result<std::int64_t> take_ticket();

  std::string path_;
  unsigned permissions_;
  int file_ = -1;
};

}  // namespace spoor::store
