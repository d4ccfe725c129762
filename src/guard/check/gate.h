#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/planner.h"
#include "guard/check/checks.h"
#include "guard/check/evaluations.h"

namespace spoor::guard::check {

/// Refuses calls that a check fails, before they run. Warnings let them pass; a check that cannot
/// be made refuses, and one that is `unknown` since nobody can tell what a call would do (a gate
/// that fails open is none).
class CheckGate final : public agent::Gate {
 public:
  /// Keeps what the checks said of a call that was refused.
  using Keep = std::function<Result<void>(const Judgement&)>;

  /// Of the rules only those that gating() keeps. `keep` may be empty: nothing is kept.
  explicit CheckGate(Checks checks, Keep keep = {})
      : checks_(std::move(checks)), keep_(std::move(keep)) {}

  Result<void> refused(const compile::Oid& commit) override;
  Verdict before(const agent::Tool& tool, std::string_view arguments) override;
  void after(std::string_view tool, std::string_view arguments,
             const agent::ToolResult& result) override;

 private:
  Checks checks_;
  Keep keep_;
  std::vector<CheckResult> last_;  // Of the call that before() looked at.
};

}  // namespace spoor::guard::check
