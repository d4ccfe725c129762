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
  /// Called in a call that waits for kNotice, with the reason; then it waits on. May be empty.
  std::function<void(const std::string& reason)> notice = {};
  static constexpr std::chrono::milliseconds kNotice{1'000};
};

/// Returns the same, whose notice passes on only the first reason since `is_noticed` was false.
/// That must live as long as what is returned.
Patience once_noticed(Patience patience, bool& is_noticed);

/// The wait of one call, which begins with what failed first, at `begin`.
class Wait {
 public:
  using Clock = std::chrono::steady_clock;

  Wait(const Patience& patience, Clock::time_point begin) : patience_(patience), begin_(begin) {}

  /// Pauses before the next attempt; after a few failures for up to half a second, of which half is
  /// random, so that clients do not come back all at once. Returns the error to end with if
  /// patience is over or the wait is cancelled.
  Result<void> pause(const Error& reason);

 private:
  const Patience& patience_;
  const Clock::time_point begin_;
  std::chrono::milliseconds pause_{5};
  bool is_noticed_ = false;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace spoor::store::postgres
