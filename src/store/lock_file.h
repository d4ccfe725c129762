#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/os/file_lock.h"
#include "base/result.h"
#include "store/lock_bell.h"

namespace spoor::store {

/// The options of waiting for a lock.
struct Waiting {
  /// Gives up after about this long: Code::unavailable. Nullopt: never.
  std::optional<std::chrono::milliseconds> patience = {};

  /// Called once if another process makes it wait for kNotice; then it waits on.
  std::function<void()> notice = {};
  static constexpr std::chrono::milliseconds kNotice{1'000};
};

/// A lock between processes, granted in order of arrival: a queue in a small file of its own. Its
/// locks are those of base/os/file_lock.h, which end with the process, even after a crash; the file
/// stays.
///
/// One holder at a time per LockFile object: callers of one object must take turns (WriterLock).
/// Two objects on the same file exclude each other, also within one process. A child made by fork()
/// may share its parent's lock, so do not use one across fork(); programs started by exec do not
/// get it.
class LockFile {
 public:
  /// Opens or creates the file at the first lock(). `permissions` are a new file's.
  LockFile(std::string path, unsigned permissions)
      : path_(std::move(path)), permissions_(permissions) {}
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Waits for the lock.
  Result<void> lock(const Waiting& waiting = {});
  void unlock();

  /// For the holder: returns whether the queue has waiters now.
  bool someone_waits() const;

 private:
  Result<void> open();
  Result<void> open_file();
  Result<void> join_queue(const Waiting& waiting);
  Result<std::int64_t> take_ticket();

  std::string path_;
  unsigned permissions_;
  os::LockedFile file_;
  LockBell bell_;
  std::optional<std::int64_t> ticket_;  // The holder's ticket; nullopt: the queue was empty.
};

}  // namespace spoor::store
