#pragma once

#include <chrono>
#include <stop_token>

namespace spoor::llm {

/// Waits for a time. A port, so that runs can be replayed. Safe to call from several threads at
/// once.
class Waiting {
 public:
  virtual ~Waiting() = default;

  /// Returns after `time`, or as soon as `stop` is requested.
  virtual void wait(std::chrono::milliseconds time, const std::stop_token& stop) = 0;
};

/// Waits in real time.
class RealWaiting final : public Waiting {
 public:
  void wait(std::chrono::milliseconds time, const std::stop_token& stop) override;
};

/// Does not wait. For tests and replays.
class NoWaiting final : public Waiting {
 public:
  void wait(std::chrono::milliseconds, const std::stop_token&) override {}
};

/// Random numbers, so that many clients do not retry at the same moment. A port, so that runs can
/// be replayed. Safe to call from several threads at once.
class Chance {
 public:
  virtual ~Chance() = default;

  /// Returns a number in [0, 1), uniformly distributed.
  virtual double fraction() = 0;
};

/// Uses the machine's random numbers.
class RealChance final : public Chance {
 public:
  double fraction() override;
};

}  // namespace spoor::llm
