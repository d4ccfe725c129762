#pragma once

#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "base/result.h"

namespace spoor::store::postgres {

/// How calls wait for a server that went away.
struct Patience {
  std::chrono::milliseconds longest = std::chrono::seconds(60);  ///< of one call
  /// Ends a wait: Code::interrupted. May be empty.
  std::function<bool()> is_cancelled = {};
  /// Called once in a call that waits for kNotice, with the reason; then it waits on. May be empty.
  std::function<void(const std::string& reason)> notice = {};
  static constexpr std::chrono::milliseconds kNotice{1'000};
};

/// The wait of one call, which begins with its first failure.
class Wait {
 public:
  explicit Wait(const Patience& patience) : patience_(patience) {}

  /// Pauses before the next attempt; after a few failures for up to half a second, of which half is
  /// random, so that clients do not come back all at once. Returns the error to end with if
  /// patience is over or the wait is cancelled.
  Result<void> pause(const Error& reason);

 private:
  using Clock = std::chrono::steady_clock;

  const Patience& patience_;
  const Clock::time_point begin_ = Clock::now();
  std::chrono::milliseconds pause_{5};
  bool is_noticed_ = false;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace spoor::store::postgres
