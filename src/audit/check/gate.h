#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "agent/planner.h"
#include "audit/check/checks.h"

namespace spoor::audit::check {

/// Refuses calls that a check fails, before they run. Warnings let them pass; a check that cannot
/// be made refuses, and one that is `unknown` since nobody can tell what a call would do (a gate
/// that fails open is none).
class CheckGate final : public agent::Gate {
 public:
  /// Of the rules only those that gating() keeps.
  explicit CheckGate(Checks checks) : checks_(std::move(checks)) {}

  Verdict before(const agent::Tool& tool, std::string_view arguments) override;
  void after(std::string_view tool, std::string_view arguments,
             const agent::ToolResult& result) override;

 private:
  Checks checks_;
};

}  // namespace spoor::audit::check
