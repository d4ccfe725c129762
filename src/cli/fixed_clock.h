#pragma once

#include <memory>

#include "base/timestamp.h"
#include "cli/environment.h"

namespace spoor::cli {

/// A clock that stands still: for tests, and for the variable SPOOR_NOW.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(Timestamp now) : now_(now) {}
  Timestamp now() const override { return now_; }
  void set(Timestamp now) { now_ = now; }

 private:
  Timestamp now_;
};

/// The machine's clock; or, where SPOOR_NOW holds an RFC 3339 time, one that
/// stands there, so that transcripts replay.
std::unique_ptr<Clock> clock_from(const Environment& environment);

}  // namespace spoor::cli
