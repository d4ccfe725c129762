#pragma once

#include <optional>

#include "base/result.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Looks at the actions of a run, one after another, and says which rules they break. A port.
///
/// For one thread. Of each event judge() is asked first and observe() called then, in the order of
/// the run; one that comes to nothing, because a check refused it, is not told.
class Check {
 public:
  virtual ~Check() = default;

  /// What the event is worth, by it and by those before it. Nothing: the check has nothing to say
  /// of such an event. `unknown`: it would, but the texts that it needs are not there. An error:
  /// the check could not be made, which is not the same as passing.
  virtual Result<std::optional<CheckResult>> judge(const DecisionEvent& event) = 0;

  /// The event happened.
  virtual void observe(const DecisionEvent& event) { (void)event; }
};

}  // namespace spoor::guard::check
