#pragma once

#include <memory>

#include "cli/environment.h"
#include "store/timestamp.h"

namespace spoor::cli {

/// A clock that stands still: for tests, and for the variable SPOOR_NOW.
class FixedClock final : public store::Clock {
 public:
  explicit FixedClock(store::Timestamp now) : now_(now) {}
  store::Timestamp now() const override { return now_; }
  void set(store::Timestamp now) { now_ = now; }

 private:
  store::Timestamp now_;
};

/// The machine's clock; or, where SPOOR_NOW holds an RFC 3339 time, one that
/// stands there, so that transcripts replay.
std::unique_ptr<store::Clock> clock_from(const Environment& environment);

}  // namespace spoor::cli
