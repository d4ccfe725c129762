#pragma once

#include <optional>
#include <string>
#include <utility>

#include "guard/check/deeds.h"
#include "guard/check/words.h"
#include "trace/event.h"

namespace spoor::guard::check {

using trace::CheckResult;
using trace::Violation;

/// Violations of one event, as they are found.
class Findings {
 public:
  void add(std::string id, Severity severity, std::string message, std::string evidence = {}) {
    for (const Violation& known : violations_) {
      if (known.id == id && known.message.text == message) return;
    }
    violations_.push_back(
        {std::move(id), severity, said(std::move(message)), said(std::move(evidence))});
  }

  /// A text that is needed was not there.
  void lack() { lacks_ = true; }

  /// Nobody can tell whether the rule is kept: that is no `pass`, and no mere `warn`.
  void cannot_tell(std::string id, std::string message, std::string evidence = {}) {
    for (const Violation& known : unclear_) {
      if (known.id == id && known.message.text == message) return;
    }
    unclear_.push_back(
        {std::move(id), Severity::low, said(std::move(message)), said(std::move(evidence))});
  }

  bool empty() const { return violations_.empty(); }

  /// pass, or what the worst of them makes of it; unknown where nothing was found and a text was
  /// lacking, and where nothing fails and something cannot be told.
  CheckResult result() && {
    CheckResult result;
    result.status = lacks_ ? CheckStatus::unknown : CheckStatus::pass;
    for (const Violation& violation : violations_) {
      result.status = worse(result.status, status_of(violation.severity));
    }
    result.violations = std::move(violations_);
    const bool is_open = !unclear_.empty() && result.status != CheckStatus::fail;
    if (is_open) {
      result.status = CheckStatus::unknown;
      result.violations.insert(result.violations.begin(), unclear_.begin(), unclear_.end());
    }
    return result;
  }

 private:
  std::vector<Violation> violations_;
  bool lacks_ = false;
  std::vector<Violation> unclear_;  // Said where nothing fails.
};

}  // namespace spoor::guard::check
