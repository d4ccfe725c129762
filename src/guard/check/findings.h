#pragma once

#include <optional>
#include <string>
#include <utility>

#include "guard/check/action_effects.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// What a violation makes of a check: `fail` from medium on, `warn` below.
inline CheckStatus status_of(Severity worst) {
  return worst >= Severity::medium ? CheckStatus::fail : CheckStatus::warn;
}

/// The worse of two: fail, warn, unknown, pass.
inline CheckStatus worse(CheckStatus a, CheckStatus b) {
  for (const CheckStatus each : {CheckStatus::fail, CheckStatus::warn, CheckStatus::unknown}) {
    if (a == each || b == each) return each;
  }
  return CheckStatus::pass;
}

/// Violations of one event, as they are found.
class Findings {
 public:
  void add(std::string id, Severity severity, std::string message, std::string evidence = {}) {
    put(violations_, std::move(id), severity, std::move(message), std::move(evidence));
  }

  /// A text that is needed was not there.
  void text_missing() { is_text_missing_ = true; }

  /// Nobody can tell whether the rule is kept: that is no `pass`, and no mere `warn`.
  void cannot_tell(std::string id, std::string message, std::string evidence = {}) {
    put(unclear_, std::move(id), Severity::low, std::move(message), std::move(evidence));
  }

  bool empty() const { return violations_.empty(); }

  /// pass, or what the worst of them makes of it; unknown where nothing was found and a text was
  /// lacking, and where nothing fails and something cannot be told.
  CheckResult result() && {
    CheckResult result;
    result.status = is_text_missing_ ? CheckStatus::unknown : CheckStatus::pass;
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
  static void put(std::vector<Violation>& to, std::string id, Severity severity,
                  std::string message, std::string evidence) {
    for (const Violation& known : to) {
      if (known.id == id && known.message.text == message) return;
    }
    to.push_back({std::move(id), severity, full_content(std::move(message)),
                  full_content(std::move(evidence))});
  }

  std::vector<Violation> violations_;
  bool is_text_missing_ = false;
  std::vector<Violation> unclear_;  // Said where nothing fails.
};

}  // namespace spoor::guard::check
