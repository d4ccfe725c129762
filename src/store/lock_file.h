#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/lock_bell.h"

namespace spoor::store {

/// How somebody waits for a lock.
struct Waiting {
  /// After about that long it is given up: Code::unavailable. Nothing: never.
  std::optional<std::chrono::milliseconds> patience = {};

  /// Called once when another process has made it wait for kNotice, before it waits on.
  std::function<void()> notice = {};
  static constexpr std::chrono::milliseconds kNotice{1'000};
};

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

  /// Waits for its turn.
  Result<void> lock(const Waiting& waiting = {});
  void unlock();

  /// For the holder: does someone stand in the queue now?
  bool someone_waits() const;

 private:
  Result<void> open();
  Result<void> open_file();
  Result<void> join_queue(const Waiting& waiting);
  Result<std::int64_t> take_ticket();

  std::string path_;
  unsigned permissions_;
  int file_ = -1;
  LockBell bell_;
  std::optional<std::int64_t> ticket_;  // That the holder drew; none: it found no queue.
};

}  // namespace spoor::store
