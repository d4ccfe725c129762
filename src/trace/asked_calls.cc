#include "trace/asked_calls.h"

#include "agent/planners/steps.h"
#include "agent/reading/text_calls.h"
#include "agent/registry.h"

namespace spoor::trace {
namespace {

AskedCall asked(std::string id, std::string name, std::string arguments) {
  AskedCall call;
  call.id = std::move(id);
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  return call;
}

}  // namespace

std::vector<AskedCall> calls_of(const compile::FactsView& facts, const compile::Fields& fields,
                                std::string_view text) {
  using agent::planners::kFinish;
  std::vector<AskedCall> calls;
  if (fields.tool_calls) {
    for (const compile::ToolCall& call : *fields.tool_calls) {
      calls.push_back(asked(call.id, call.name, call.arguments));
    }
    return calls;
  }
  const std::string action = facts.get(fact::action);
  if (facts.says(fact::purpose, "plan")) {
    const auto plan = agent::planners::parse_plan(text);
    if (!plan) return calls;
    for (const auto& step : *plan) {
      if (step.action != kFinish) calls.push_back(asked({}, step.action, step.action_input));
    }
    return calls;
  }
  if (action.empty() || action == kFinish) return calls;
  const auto step = agent::planners::parse_step(text);
  if (step && step->action == action) return {asked({}, step->action, step->action_input)};
  // The tools of the run are not known here; the name of the first call is.
  const agent::reading::OfferedTools any{.has = agent::is_tool_id, .takes_text = {}};
  auto written = agent::reading::read_text_calls(text, {}, any).calls;
  if (written.empty() || written.front().name != action) {
    written = agent::reading::read_text_calls(text).calls;
  }
  for (auto& call : written) {
    calls.push_back(asked({}, std::move(call.name), std::move(call.arguments)));
  }
  if (calls.empty()) calls.push_back(asked({}, action, {}));
  return calls;
}

}  // namespace spoor::trace
