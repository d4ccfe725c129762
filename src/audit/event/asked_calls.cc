#include "audit/event/asked_calls.h"

#include "agent/planners/steps.h"
#include "agent/reading/text_calls.h"

namespace spoor::audit {

std::vector<AskedCall> calls_of(const TurnSeen& answer, const compile::Fields& fields,
                                const std::optional<std::string>& text) {
  using agent::planners::kFinish;
  std::vector<AskedCall> calls;
  if (fields.tool_calls) {
    for (const compile::ToolCall& call : *fields.tool_calls) {
      calls.push_back({call.id, call.name, call.arguments});
    }
    return calls;
  }
  const std::string action = answer.facts->text("action");
  if (answer.facts->says("purpose", "plan")) {
    const auto plan = agent::planners::parse_plan(text.value_or(""));
    if (!plan) return calls;
    for (const auto& step : *plan) {
      if (step.action != kFinish) calls.push_back({{}, step.action, step.action_input});
    }
    return calls;
  }
  if (action.empty() || action == kFinish) return calls;
  const auto step = agent::planners::parse_step(text.value_or(""));
  if (step && step->action == action) return {{{}, step->action, step->action_input}};
  for (auto& call : agent::reading::read_text_calls(text.value_or("")).calls) {
    calls.push_back({{}, std::move(call.name), std::move(call.arguments)});
  }
  if (calls.empty()) calls.push_back({{}, action, {}});
  return calls;
}

}  // namespace spoor::audit
