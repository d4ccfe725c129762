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

/// Refuses calls that fail a check, before they run. Warnings let calls pass. A check that cannot
/// be made refuses, as does one that is `unknown` because the effects of a call cannot be known: a
/// gate that fails open is useless.
class CheckGate final : public agent::Gate {
 public:
  /// Records the results of the checks for a refused call.
  using Keep = std::function<Result<void>(const Judgement&)>;

  /// Uses only the rules that gating() keeps. If `keep` is empty, nothing is recorded.
  explicit CheckGate(Checks checks, Keep keep = {})
      : checks_(std::move(checks)), keep_(std::move(keep)) {}

  Result<void> refused(const compile::Oid& commit) override;
  Verdict before(const agent::Tool& tool, std::string_view arguments) override;
  void after(std::string_view tool, std::string_view arguments,
             const agent::ToolResult& result) override;

 private:
  Checks checks_;
  Keep keep_;
  std::vector<CheckResult> last_;  // Results for the call that before() judged.
};

}  // namespace spoor::guard::check
