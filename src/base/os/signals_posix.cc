#include "base/os/signals.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include <sys/select.h>
#include <unistd.h>

#include "base/os/pipe.h"

namespace spoor::os {
namespace {

volatile std::sig_atomic_t caught_into = -1;
std::vector<std::pair<int, struct sigaction>> old_handlers;

extern "C" void write_signal(int) {
  const int problem = errno;
  const int file = caught_into;
  if (file >= 0) (void)!::write(file, "s", 1);
  errno = problem;
}

}  // namespace

int take_signal(const sigset_t& set, std::chrono::nanoseconds most) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(10);
  const auto end = Clock::now() + most;
  while (true) {
    sigset_t pending;
    sigset_t one;
    sigemptyset(&pending);
    ::sigpending(&pending);
    for (int signal = 1; signal < NSIG; ++signal) {
      if (sigismember(&set, signal) != 1 || sigismember(&pending, signal) != 1) continue;
      sigemptyset(&one);
      sigaddset(&one, signal);
      int taken = 0;
      if (::sigwait(&one, &taken) == 0) return taken;
    }
    const std::chrono::nanoseconds left = end - Clock::now();
    if (left.count() <= 0) return 0;
    std::this_thread::sleep_for(std::min(left, kLook));
  }
}

int wait_for_bytes(int file, const sigset_t& mask) {
  if (file < 0 || file >= FD_SETSIZE) {
    errno = EINVAL;
    return -1;
  }
  fd_set files;
  FD_ZERO(&files);
  FD_SET(file, &files);
  return ::pselect(file + 1, &files, nullptr, nullptr, nullptr, &mask);
}

SignalFile::SignalFile(std::initializer_list<int> signals) {
  int ends[2];
  if (make_pipe(ends, false) != 0) return;
  file_ = Descriptor(ends[0]);
  caught_into = ends[1];
  struct sigaction action {};
  action.sa_handler = write_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) {
    struct sigaction before {};
    if (::sigaction(signal, &action, &before) == 0) old_handlers.emplace_back(signal, before);
  }
}

SignalFile::~SignalFile() {
  for (const auto& [signal, before] : std::exchange(old_handlers, {})) {
    ::sigaction(signal, &before, nullptr);
  }
  const int end = caught_into;
  caught_into = -1;
  if (end >= 0) ::close(end);
}

}  // namespace spoor::os
