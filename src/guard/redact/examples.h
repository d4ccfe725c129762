#pragma once

#include <string>
#include <vector>

#include "guard/redact/rule_set.h"
#include "store/result.h"

namespace spoor::guard {

/// An example that its rule does not bear out.
struct ExampleFailure {
  std::string rule;
  std::string text;     ///< of the example
  std::string problem;  ///< "finds nothing", "finds something"
};

/// Runs every example of every rule, that rule alone: a positive one must hold a secret, and a
/// negative one none. Code::denied when a rule cannot be run.
store::Result<std::vector<ExampleFailure>> failing_examples(const RuleSet& rules);

}  // namespace spoor::guard
