// safety.secret, safety.destructive, safety.host, safety.protected-path,
// safety.unknown-host, safety.unclear
#include <utility>

#include <fmt/format.h>

#include "guard/check/builtin.h"
#include "guard/check/destructive.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"
#include "guard/check/hosts.h"
#include "guard/check/languages.h"
#include "guard/check/paths.h"
#include "guard/redact/numbering.h"
#include "guard/redact/redactor.h"

namespace spoor::guard::check {

namespace {

// Returns numbers that are never shown.
class NoNumbers final : public Numbering {
 public:
  Result<std::uint64_t> number_of(std::string_view, std::string_view) override {
    return std::uint64_t{1};
  }
};

constexpr const char* kPrivate[] = {"email", "phone", "phone-field", "card", "iban"};

bool is_private_only(std::string_view rule) {
  for (const char* each : kPrivate) {
    if (rule == each) return true;
  }
  return false;
}

class Safety final : public Check {
 public:
  Safety(const SafetyRules& rules, std::string root, const RuleSet& secrets)
      : rules_(rules), root_(std::move(root)), secrets_(secrets) {}

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    Findings findings;
    const ActionEffects action_effects = effects_of_action(event);
    const bool did_something =
        !event.agent_action.tool_results.empty() || !event.agent_action.artifacts.empty();
    const bool says_something = event.model_output.has_value() && rules_.secrets;
    if (!did_something && !says_something) return std::optional<CheckResult>();
    const bool is_blocked = event.agent_action.type == AgentAction::Type::blocked;
    if (rules_.secrets) {
      if (event.model_output) {
        TRY(look_for_secrets(event.model_output->output_raw, "the answer", findings));
      }
      for (const ToolResult& result : event.agent_action.tool_results) {
        if (is_blocked) break;
        TRY(look_for_secrets(result.arguments, fmt::format("the arguments of '{}'", result.name),
                             findings));
      }
    }
    if (!action_effects.is_whole) findings.text_missing();
    if (rules_.destructive || rules_.has_hosts) {
      for (const std::string& why : action_effects.unclear)
        unclear("safety.unclear", why, "", findings);
    }
    for (const Command& command : action_effects.commands) {
      if (rules_.destructive) {
        if (const auto reason = destroys(command, root_)) {
          findings.add("safety.destructive", Severity::critical, *reason, command.text());
        } else if (const auto doubt = may_destroy(command)) {
          unclear("safety.unclear", *doubt, command.text(), findings);
        }
      }
    }
    if (rules_.destructive || rules_.has_hosts) {
      for (const RunFile& file : action_effects.runs) {
        if (is_of_project(file, root_)) continue;
        unclear("safety.unclear", why_unread(file), "", findings);
      }
    }
    if (rules_.destructive) {
      for (const Change& change : action_effects.changes) {
        const auto reason = takes_over(change, root_);
        if (reason) findings.add("safety.protected-path", Severity::high, *reason, change.path);
      }
      if (const auto reason = sql_destroys(action_effects.sql)) {
        findings.add("safety.destructive", Severity::critical, *reason);
      }
    }
    if (rules_.has_hosts) {
      for (const Host& host : action_effects.hosts) look_at(host, host.text, findings);
      for (const std::string& url : action_effects.urls) look_at(host_of_url(url), url, findings);
    }
    return std::optional(std::move(findings).result());
  }

 private:
  void unclear(const char* id, std::string why, std::string evidence, Findings& findings) const {
    if (rules_.allow_unclear) {
      findings.add(id, Severity::low, std::move(why), std::move(evidence));
    } else {
      findings.cannot_tell(id, std::move(why), std::move(evidence));
    }
  }

  Result<void> look_for_secrets(const Content& content, const std::string& where,
                                Findings& findings) const {
    const std::string* text = readable(content);
    if (text == nullptr) {
      if (content.mode != Content::Mode::unknown) findings.text_missing();
      return {};
    }
    // A redacted secret was in the text.
    for (const Content::Redaction& taken : content.redactions) {
      if (!is_private_only(taken.rule)) report_secret(taken.rule, where, findings);
    }
    NoNumbers numbers;
    std::vector<Redaction> found;
    TRY(Redactor(secrets_, numbers).redact(*text, {}, &found));
    for (const Redaction& each : found) report_secret(each.rule, where, findings);
    return {};
  }

  // The evidence is the rule: the secret must not be stored a second time.
  static void report_secret(const std::string& rule, const std::string& where, Findings& findings) {
    findings.add("safety.secret", Severity::critical,
                 fmt::format("a secret in {}: {}", where, rule), rule);
  }

  void look_at(const Host& host, const std::string& evidence, Findings& findings) const {
    if (host.name.empty()) {
      unclear("safety.unknown-host", fmt::format("it is unclear which host '{}' is", host.text),
              evidence, findings);
    } else if (!is_allowed(host, rules_.hosts)) {
      findings.add("safety.host", Severity::high,
                   fmt::format("the host '{}' is none of those that are allowed", host.name),
                   evidence);
    }
  }

  const SafetyRules rules_;
  const std::string root_;
  const RuleSet& secrets_;
};

}  // namespace

std::unique_ptr<Check> make_safety(const SafetyRules& rules, std::string root,
                                   const RuleSet& secrets) {
  return std::make_unique<Safety>(rules, std::move(root), secrets);
}

Result<std::unique_ptr<RuleSet>> rules_of_secrets() {
  RuleFile own;
  for (const char* id : kPrivate) own.disabled.emplace_back(id);
  return RuleSet::with_builtin(std::move(own));
}

}  // namespace spoor::guard::check
