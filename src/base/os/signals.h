#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>

#include "base/descriptor.h"

namespace spoor::os {

/// Waits for a signal of a set that is blocked, and takes it. Returns its number, or 0 after
/// `most`. Linux: sigtimedwait(2). Elsewhere: looks at the pending signals every 10 ms.
int take_signal(const sigset_t& set, std::chrono::nanoseconds most);

/// Waits without end for bytes of `file`, with the signal mask `mask` meanwhile. Returns 1, or -1
/// and errno: EINTR after a signal. Linux: ppoll(2); elsewhere pselect(2), so `file` must be less
/// than FD_SETSIZE.
int wait_for_bytes(int file, const sigset_t& mask);

/// Catches signals, which then can be waited for with poll(2). One object at a time, and not for a
/// process that still starts threads. Linux: signalfd(2); the signals stay blocked afterwards.
/// Elsewhere: a handler that writes to a pipe; the old handlers come back.
class SignalFile {
 public:
  SignalFile(std::initializer_list<int> signals);
  ~SignalFile();
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;

  /// Readable after one of the signals. -1: it could not be made.
  int file() const { return file_.number(); }

 private:
  Descriptor file_;
};

}  // namespace spoor::os
