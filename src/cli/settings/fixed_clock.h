#pragma once

#include <memory>

#include "base/environment.h"
#include "base/timestamp.h"

namespace spoor::cli {

/// A clock that does not advance: for tests, and for the variable SPOOR_NOW.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(Timestamp now) : now_(now) {}
  Timestamp now() const override { return now_; }
  void set(Timestamp now) { now_ = now; }

 private:
  Timestamp now_;
};

/// Returns the machine's clock, or a fixed clock if SPOOR_NOW is an RFC 3339 time, so that
/// transcripts can be replayed.
std::unique_ptr<Clock> clock_from(const Environment& environment);

}  // namespace spoor::cli
