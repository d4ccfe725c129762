// quality.tests-failed, quality.exit-code, quality.retries
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "guard/check/builtin.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"

namespace spoor::guard::check {

namespace {

using Action = AgentAction::Type;

// Returns the identity of a call.
std::string key_of(const ToolResult& call) {
  const std::string* arguments = readable(call.arguments);
  return call.name + '\n' + (arguments != nullptr ? *arguments : call.arguments.hash);
}

class Quality final : public Check {
 public:
  explicit Quality(const QualityRules& rules) : rules_(rules) {}

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    const AgentAction& action = event.agent_action;
    Findings findings;
    bool has_looked = false;
    const bool is_answer = action.type == Action::message && event.model_output.has_value();
    if (rules_.tests && is_answer && tests_ != Outcome::unknown) {
      has_looked = true;
      if (tests_ == Outcome::bad) {
        findings.add("quality.tests-failed", Severity::high,
                     "the tests that ran last failed when this was said");
      }
    }
    if (rules_.exit_codes) {
      for (const Artifact& artifact : action.artifacts) {
        if (!artifact.exit_code) continue;
        has_looked = true;
        if (*artifact.exit_code == 0) continue;
        findings.add("quality.exit-code", Severity::low,
                     fmt::format("a command ended with exit code {}", *artifact.exit_code));
      }
    }
    if (rules_.max_retries) {
      for (const ToolResult& call : action.tool_results) {
        has_looked = true;
        const auto known = failures_.find(key_of(call));
        const std::int64_t tries = known == failures_.end() ? 0 : known->second;
        if (tries <= *rules_.max_retries) continue;
        findings.add("quality.retries", Severity::medium,
                     fmt::format("'{}' is called once more with the same arguments after it failed "
                                 "{}",
                                 call.name, tries == 1 ? "once" : fmt::format("{} times", tries)));
      }
    }
    if (!has_looked) return std::optional<CheckResult>();
    return std::optional(std::move(findings).result());
  }

  void observe(const DecisionEvent& event) override {
    const AgentAction& action = event.agent_action;
    if (action.type == Action::run_tests) tests_ = outcome_of(event);
    for (const ToolResult& call : action.tool_results) {
      std::int64_t& failures = failures_[key_of(call)];
      failures = call.is_error || outcome_of(event) == Outcome::bad ? failures + 1 : 0;
    }
  }

 private:
  const QualityRules rules_;
  Outcome tests_ = Outcome::unknown;
  std::map<std::string, std::int64_t> failures_;  // In a row, by call.
};

}  // namespace

std::unique_ptr<Check> make_quality(const QualityRules& rules) {
  return std::make_unique<Quality>(rules);
}

}  // namespace spoor::guard::check
