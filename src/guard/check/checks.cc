#include "guard/check/checks.h"

#include <algorithm>
#include <utility>

#include "guard/check/action_effects.h"
#include "guard/check/builtin.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"

namespace spoor::guard::check {

namespace {

using Action = AgentAction::Type;

constexpr std::string_view kNotMade = ".not-made";

// Returns true if a check examines the event; has the default for rules that do not name actions.
bool looks_at(const Rule& rule, const DecisionEvent& event) {
  const Action type = event.agent_action.type;
  if (!rule.on.empty()) return std::find(rule.on.begin(), rule.on.end(), type) != rule.on.end();
  const bool is_of_answers =
      std::holds_alternative<FormatRules>(rule.how) || std::holds_alternative<JudgeRules>(rule.how);
  return !is_of_answers || (type == Action::message && event.model_output.has_value());
}

CheckResult not_made(const Rule& rule, std::string why) {
  CheckResult result;
  Violation violation;
  violation.id = rule.constraint.id + std::string(kNotMade);
  violation.message = full_content(std::move(why));
  violation.evidence = full_content("");
  result.violations.push_back(std::move(violation));
  return result;
}

// A rule's own severity replaces the check's, and determines the status.
void weigh(const Rule& rule, CheckResult& result) {
  if (!rule.severity || result.violations.empty()) return;
  for (Violation& violation : result.violations) violation.severity = *rule.severity;
  const bool has_verdict = result.status == CheckStatus::fail || result.status == CheckStatus::warn;
  if (has_verdict) result.status = status_of(*rule.severity);
}

}  // namespace

Result<Checks> Checks::make(const Rules& rules, const CheckPorts& ports) {
  Checks checks;
  for (const Rule& rule : rules.rules) {
    if (is_words(rule)) continue;
    Made made{rule, nullptr};
    if (const auto* format = std::get_if<FormatRules>(&rule.how)) {
      made.check = TRY(make_format(*format));
    } else if (const auto* scope = std::get_if<ScopeRules>(&rule.how)) {
      made.check = make_scope(*scope, ports.root, ports.sees_links);
    } else if (const auto* safety = std::get_if<SafetyRules>(&rule.how)) {
      static const RuleSet kNone({}, {});
      if (safety->secrets && !checks.secrets_) checks.secrets_ = TRY(rules_of_secrets());
      made.check = make_safety(*safety, ports.root, safety->secrets ? *checks.secrets_ : kNone);
    } else if (const auto* repo = std::get_if<RepoRules>(&rule.how)) {
      made.check = make_repo(*repo);
    } else if (const auto* quality = std::get_if<QualityRules>(&rule.how)) {
      made.check = make_quality(*quality);
    } else if (std::holds_alternative<HiddenRules>(rule.how)) {
      made.check = make_hidden();
    } else if (const auto* command = std::get_if<CommandRules>(&rule.how)) {
      if (ports.programs != nullptr) made.check = make_command(*command, *ports.programs);
    } else if (const auto* judge = std::get_if<JudgeRules>(&rule.how)) {
      if (ports.judges != nullptr) made.check = make_judge(*judge, rule.constraint, *ports.judges);
    }
    checks.made_.push_back(std::move(made));
  }
  return checks;
}

std::vector<CheckResult> Checks::judge(const DecisionEvent& event) {
  std::vector<CheckResult> results;
  for (Made& made : made_) {
    if (!looks_at(made.rule, event)) continue;
    CheckResult result;
    if (made.check == nullptr) {
      result = not_made(made.rule, std::holds_alternative<JudgeRules>(made.rule.how)
                                       ? "no model is asked here"
                                       : "no program is run here");
    } else if (auto judged = made.check->judge(event); !judged) {
      result = not_made(made.rule, judged.error().message);
    } else if (!judged.value()) {
      continue;
    } else {
      result = std::move(*judged.value());
      weigh(made.rule, result);
    }
    result.check = made.rule.constraint.id;
    result.type = made.rule.constraint.type;
    results.push_back(std::move(result));
  }
  return results;
}

void Checks::observe(const DecisionEvent& event) {
  for (Made& made : made_) {
    if (made.check != nullptr) made.check->observe(event);
  }
}

bool is_not_made(const CheckResult& result) {
  return std::any_of(result.violations.begin(), result.violations.end(),
                     [&](const Violation& violation) {
                       return violation.id == result.check + std::string(kNotMade);
                     });
}

bool can_gate(const Rule& rule) {
  const bool looks_at_answers = std::holds_alternative<FormatRules>(rule.how) ||
                                std::holds_alternative<HiddenRules>(rule.how) ||
                                std::holds_alternative<JudgeRules>(rule.how);
  return !looks_at_answers && !is_words(rule);
}

Rules gating(const Rules& rules) {
  Rules kept;
  for (const Rule& rule : rules.rules) {
    if (can_gate(rule)) kept.rules.push_back(rule);
  }
  return kept;
}

}  // namespace spoor::guard::check
