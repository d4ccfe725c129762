#include "base/os/bell.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace spoor::os {

void wait_at(std::uint32_t& word, std::uint32_t seen, std::uint32_t /*who*/,
             std::chrono::nanoseconds most) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(1);
  const auto end = Clock::now() + most;
  while (std::atomic_ref<std::uint32_t>(word).load() == seen) {
    const std::chrono::nanoseconds left = end - Clock::now();
    if (left.count() <= 0) return;
    std::this_thread::sleep_for(std::min(left, kLook));
  }
}

void wake(std::uint32_t& /*word*/, std::uint32_t /*whom*/) {}

}  // namespace spoor::os
