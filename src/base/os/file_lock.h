#pragma once

#include <sys/types.h>

#include "base/descriptor.h"

namespace spoor::os {

/// An open file whose byte ranges are locked against all other LockedFiles: those of other
/// processes, and those of this one. The locks end with this object or with the process, even after
/// a crash. For one thread at a time; two objects need no care. `length` 0: to the end of the file,
/// even as it grows.
///
/// Linux: the kernel's open file description locks (F_OFD_SETLK). Elsewhere fcntl(2)'s older locks,
/// which belong to the process, with a table of this process's own holders. Not flock(2), which
/// locks whole files only. And not F_OFD_SETLK where another system has it: macOS declares it, but
/// Apple does not document it, and the table is what our tests run. Two rules follow from the
/// older locks: closing any descriptor of the file ends all locks of the process, so open it with
/// nothing but LockedFile; and a child made by fork() does not hold them.
class LockedFile {
 public:
  enum class Kind { read, write };
  enum class Answer { granted, taken, failed };

  LockedFile() = default;
  explicit LockedFile(Descriptor file);
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&& other) noexcept;
  ~LockedFile();

  explicit operator bool() const { return static_cast<bool>(file_); }
  int number() const { return file_.number(); }

  /// Locks a range without waiting. A lock of this object there changes its kind. `failed` sets
  /// errno.
  Answer try_lock(Kind kind, off_t start, off_t length);

  /// Releases a range. It cannot fail.
  void unlock(off_t start, off_t length);

  /// Returns whether another holder has locked a byte at or after `start`; also true if the system
  /// cannot tell.
  bool is_locked_from(off_t start) const;

 private:
  Descriptor file_;
};

}  // namespace spoor::os
