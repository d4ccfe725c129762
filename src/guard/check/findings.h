#pragma once

#include <optional>
#include <string>
#include <utility>

#include "guard/check/action_effects.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Returns the status for a violation: `fail` from medium on, `warn` below.
inline CheckStatus status_of(Severity worst) {
  return worst >= Severity::medium ? CheckStatus::fail : CheckStatus::warn;
}

/// Returns the worse of two, in the order fail, warn, unknown, pass.
inline CheckStatus worse(CheckStatus a, CheckStatus b) {
  for (const CheckStatus each : {CheckStatus::fail, CheckStatus::warn, CheckStatus::unknown}) {
    if (a == each || b == each) return each;
  }
  return CheckStatus::pass;
}

/// Collects the violations of one event.
class Findings {
 public:
  void add(std::string id, Severity severity, std::string message, std::string evidence = {}) {
    put(violations_, std::move(id), severity, std::move(message), std::move(evidence));
  }

  /// Notes that a required text is absent.
  void text_missing() { is_text_missing_ = true; }

  /// Adds a finding that cannot be decided, which is neither `pass` nor only `warn`.
  void cannot_tell(std::string id, std::string message, std::string evidence = {}) {
    put(unclear_, std::move(id), Severity::low, std::move(message), std::move(evidence));
  }

  bool empty() const { return violations_.empty(); }

  /// Returns pass or the status of the worst violation. Returns unknown if nothing was found and a
  /// text was absent, or if nothing fails and a finding cannot be decided.
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
  std::vector<Violation> unclear_;  // Reported if nothing fails.
};

}  // namespace spoor::guard::check
