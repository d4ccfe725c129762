#include "base/os/signals.h"

#include <poll.h>
#include <sys/signalfd.h>

namespace spoor::os {

int take_signal(const sigset_t& set, std::chrono::nanoseconds most) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec wait{static_cast<time_t>(most.count() / kSecond),
                      static_cast<long>(most.count() % kSecond)};
  const int signal = ::sigtimedwait(&set, nullptr, &wait);
  return signal > 0 ? signal : 0;
}

int wait_for_bytes(int file, const sigset_t& mask) {
  pollfd input{file, POLLIN, 0};
  return ::ppoll(&input, 1, nullptr, &mask);
}

SignalFile::SignalFile(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  file_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC));
}

SignalFile::~SignalFile() = default;

}  // namespace spoor::os
