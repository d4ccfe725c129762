#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <stop_token>

#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent::builtin {

/// The end of a call: its run is interrupted, or its time is over.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(const ToolContext& context) : Deadline(context.stop, context.timeout) {}

  /// Starts now; a `timeout` of 0 means no limit.
  Deadline(std::stop_token stop, std::chrono::milliseconds timeout) : stop_(std::move(stop)) {
    if (timeout.count() > 0) end_ = Clock::now() + timeout;
  }

  /// Returns the time left; nullopt: no limit.
  std::optional<std::chrono::milliseconds> left() const {
    if (!end_) return std::nullopt;
    return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - Clock::now()),
                    std::chrono::milliseconds(0));
  }

  const std::stop_token& stop() const { return stop_; }
  bool is_stopped() const { return stop_.stop_requested(); }
  bool is_late() const { return end_ && Clock::now() >= *end_; }

  /// Returns Code::interrupted, or Code::denied if the time is over.
  Result<void> check() const {
    if (is_stopped()) return interrupted("interrupted");
    if (is_late()) return denied("the time for this call is over");
    return {};
  }

 private:
  std::stop_token stop_;
  std::optional<Clock::time_point> end_;
};

}  // namespace spoor::agent::builtin
