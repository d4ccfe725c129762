#pragma once

#include <optional>

#include "base/result.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Examines the actions of a run, one after another, and reports which rules they break. A port.
///
/// For one thread. For each event judge() is called first, then observe(), in the order of the run.
/// An event that did not happen, because a check refused it, is not observed.
class Check {
 public:
  virtual ~Check() = default;

  /// Judges an event, given the events before it. Returns nullopt if the check does not apply to
  /// such an event, and `unknown` if it applies but needs texts that are absent. An error means
  /// that the check could not be made, which is not the same as passing.
  virtual Result<std::optional<CheckResult>> judge(const DecisionEvent& event) = 0;

  /// Notes that the event happened.
  virtual void observe(const DecisionEvent& event) { (void)event; }
};

}  // namespace spoor::guard::check
