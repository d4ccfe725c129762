// repo.dirty-tree, repo.tests-not-run, repo.tests-failed
#include <algorithm>

#include <fmt/format.h>

#include "guard/check/builtin.h"
#include "guard/check/findings.h"

namespace spoor::guard::check {
namespace {

using Action = AgentAction::Type;

// Returns true if a git command leaves no uncommitted changes.
bool commits_all(const Command& command) {
  if (command.program != "git") return false;
  const std::vector<Word> words = command.operands();
  return !words.empty() && (words.front().text == "commit" || words.front().text == "stash");
}

bool asks_status(const Command& command) {
  if (command.program != "git") return false;
  const std::vector<Word> words = command.operands();
  return !words.empty() && words.front().text == "status";
}

// Returns true if `git status` reports a tree without changes; with --porcelain or -s it prints
// nothing.
bool says_clean(const Command& command, const std::string& output) {
  if (output.find("nothing to commit, working tree clean") != std::string::npos) return true;
  const bool is_short = command.has_flag('s', "--short") || command.has_flag(0, "--porcelain");
  const std::string_view left = std::string_view(output).substr(0, 64);
  return is_short && (left.empty() || left == "[it printed nothing]" ||
                      left.find_first_not_of(" \t\r\n") == std::string_view::npos);
}

class Repo final : public Check {
 public:
  explicit Repo(RepoRules rules) : rules_(std::move(rules)) {}

  Result<std::optional<CheckResult>> judge(const DecisionEvent& event) override {
    const Action type = event.agent_action.type;
    const bool is_its =
        std::find(rules_.before.begin(), rules_.before.end(), type) != rules_.before.end();
    if (!is_its) return std::optional<CheckResult>();
    Findings findings;
    // `git commit … && gh pr create`
    const ActionEffects action_effects = effects_of_action(event);
    const bool commits_first =
        std::any_of(action_effects.commands.begin(), action_effects.commands.end(), commits_all);
    if (rules_.clean_tree && is_dirty_ && !commits_first) {
      findings.add(
          "repo.dirty-tree", Severity::high,
          fmt::format("before '{}' something was changed and not committed", name_of(type)),
          dirtied_by_);
    }
    if (rules_.tests && tests_ == Tests::not_run) {
      findings.add("repo.tests-not-run", Severity::high,
                   fmt::format("no tests ran between the last change and '{}'", name_of(type)));
    }
    if (rules_.tests && tests_ == Tests::failed) {
      findings.add("repo.tests-failed", Severity::high,
                   fmt::format("the tests that ran before '{}' failed", name_of(type)));
    }
    return std::optional(std::move(findings).result());
  }

  void observe(const DecisionEvent& event) override {
    const AgentAction& action = event.agent_action;
    const Outcome outcome = outcome_of(event);
    if (action.type == Action::blocked) return;
    if (action.type == Action::run_tests) {
      tests_ = outcome == Outcome::bad ? Tests::failed : Tests::passed;
    }
    const ActionEffects action_effects = effects_of_action(event);
    bool has_committed = false;
    for (const Command& command : action_effects.commands) {
      has_committed = has_committed || (commits_all(command) && outcome != Outcome::bad);
      if (asks_status(command) && outcome != Outcome::bad && action.tool_results.size() == 1) {
        const std::string* output = readable(action.tool_results.front().output);
        if (output != nullptr && says_clean(command, *output)) is_dirty_ = false;
      }
    }
    if (!action_effects.changes.empty() &&
        (outcome != Outcome::bad || action.type != Action::edit)) {
      is_dirty_ = true;
      dirtied_by_ = action_effects.changes.front().path;
      if (action.type != Action::run_tests) tests_ = Tests::not_run;
    }
    if (has_committed) is_dirty_ = false;
  }

 private:
  enum class Tests { not_run, passed, failed };

  const RepoRules rules_;
  bool is_dirty_ = false;
  std::string dirtied_by_;
  Tests tests_ = Tests::not_run;
};

}  // namespace

std::unique_ptr<Check> make_repo(const RepoRules& rules) { return std::make_unique<Repo>(rules); }

}  // namespace spoor::guard::check
