#include "guard/check/gate.h"

#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "guard/check/action_effects.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

namespace {

// Returns true if it looks like an id. Ids of violations may come from a program, and only such ids
// are kept in facts.
bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._") == std::string_view::npos;
}

}  // namespace

agent::Gate::Verdict CheckGate::before(const agent::Tool& tool, std::string_view arguments) {
  last_ = checks_.judge(intended(tool.id, arguments));
  for (const CheckResult& result : last_) {
    // `unknown` also refuses: a gate that lets such calls pass is useless.
    const bool refuses = result.status == CheckStatus::fail ||
                         result.status == CheckStatus::unknown || is_not_made(result);
    if (!refuses) continue;
    if (result.violations.empty()) {
      return {.allows = false,
              .why = fmt::format("refused by check {}", result.check),
              .rule = result.check};
    }
    const Violation* worst = &result.violations.front();
    for (const Violation& violation : result.violations) {
      if (violation.severity > worst->severity) worst = &violation;
    }
    return {.allows = false,
            .why = fmt::format("refused by check {}: {}", worst->id, worst->message.text),
            .rule = is_plain_id(worst->id) ? worst->id : result.check};
  }
  return {};
}

Result<void> CheckGate::refused(const compile::Oid& commit) {
  if (!keep_) return {};
  Judgement judgement;
  judgement.commit = commit;
  judgement.results = std::exchange(last_, {});
  return keep_(judgement);
}

void CheckGate::after(std::string_view tool, std::string_view arguments,
                      const agent::ToolResult& result) {
  DecisionEvent event = intended(tool, arguments, result.facts.get(fact::artifact));
  AgentAction& action = event.agent_action;
  ToolResult& call = action.tool_results.front();
  call.is_error = result.is_error;
  call.output = full_content(result.text);
  const std::string said_code = result.facts.json(fact::exit_code);
  const auto exit_code = json::parse(said_code);
  if (exit_code && exit_code->root().integer()) {
    Artifact artifact;
    artifact.exit_code = exit_code->root().integer();
    action.artifacts.push_back(std::move(artifact));
  }
  checks_.observe(event);
}

}  // namespace spoor::guard::check
