#include "llm/waiting.h"

#include <condition_variable>
#include <mutex>
#include <random>

namespace spoor::llm {

void RealWaiting::wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any nobody_notifies;
  std::unique_lock lock(mutex);
  nobody_notifies.wait_for(lock, stop, time, [] { return false; });
}

double RealChance::fraction() {
  thread_local std::mt19937_64 numbers{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(numbers);
}

}  // namespace spoor::llm
