#pragma once

#include <chrono>
#include <stop_token>

namespace spoor::llm {

/// Lets time pass. A port, so that runs replay. Safe to call from several threads at once.
class Waiting {
 public:
  virtual ~Waiting() = default;

  /// Returns after `time`, or as soon as `stop` is requested.
  virtual void wait(std::chrono::milliseconds time, const std::stop_token& stop) = 0;
};

/// The machine's time.
class RealWaiting final : public Waiting {
 public:
  void wait(std::chrono::milliseconds time, const std::stop_token& stop) override;
};

/// No time passes. For tests and replays.
class NoWaiting final : public Waiting {
 public:
  void wait(std::chrono::milliseconds, const std::stop_token&) override {}
};

/// Chance, so that many clients do not all come back at the same moment. A port, so that runs
/// replay. Safe to call from several threads at once.
class Chance {
 public:
  virtual ~Chance() = default;

  /// A number from 0 to just below 1, each as likely.
  virtual double fraction() = 0;
};

/// The machine's randomness.
class RealChance final : public Chance {
 public:
  double fraction() override;
};

}  // namespace spoor::llm
