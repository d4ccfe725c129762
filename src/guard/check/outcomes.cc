#include "guard/check/outcomes.h"

namespace spoor::guard::check {

using trace::Artifact;
using trace::ToolResult;

Outcome outcome_of(const DecisionEvent& event) {
  bool has_code = false;
  for (const Artifact& artifact : event.agent_action.artifacts) {
    if (!artifact.exit_code) continue;
    if (*artifact.exit_code != 0) return Outcome::bad;
    has_code = true;
  }
  for (const ToolResult& result : event.agent_action.tool_results) {
    if (result.is_error) return Outcome::bad;
  }
  if (has_code || !event.agent_action.tool_results.empty()) return Outcome::good;
  return Outcome::unknown;
}

}  // namespace spoor::guard::check
