#include "base/os/bell.h"

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spoor::os {

void wait_at(std::uint32_t& word, std::uint32_t seen, std::uint32_t who,
             std::chrono::nanoseconds most) {
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  constexpr long kSecond = 1'000'000'000;
  const long nanoseconds = end.tv_nsec + static_cast<long>(most.count());
  end.tv_sec += nanoseconds / kSecond;
  end.tv_nsec = nanoseconds % kSecond;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen, &end, nullptr, who);
}

void wake(std::uint32_t& word, std::uint32_t whom) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, whom);
}

}  // namespace spoor::os
