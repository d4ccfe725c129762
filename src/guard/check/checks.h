#pragma once

#include <memory>
#include <string>
#include <vector>

#include "guard/check/check.h"
#include "guard/check/constraints.h"
#include "guard/check/judge.h"
#include "guard/check/programs.h"
#include "guard/redact/rule_set.h"

namespace spoor::guard::check {

/// The ports that checks use. All of it must outlive them.
struct CheckPorts {
  std::string root;              ///< absolute path of the working folder; empty: not known
  Programs* programs = nullptr;  ///< null: checks by programs are not made, and report that
  Judges* judges = nullptr;      ///< null: the same for checks by models
  bool sees_links = false;       ///< symbolic links below the root are followed, as they are now
};

/// The checks of a set of rules, in their order. For one thread.
class Checks {
 public:
  /// Returns Code::invalid for an invalid schema or expression.
  static Result<Checks> make(const Rules& rules, const CheckPorts& ports);

  /// Returns the result of each check that applies to the event, with the ids and types of the
  /// rules. The result of a check that could not be made is `unknown`, with a violation
  /// `<id>.not-made`.
  std::vector<CheckResult> judge(const DecisionEvent& event);

  /// Notes that the event happened; see Check.
  void observe(const DecisionEvent& event);

  /// Returns true if there are no checks. Rules in words only have none.
  bool empty() const { return made_.empty(); }

 private:
  struct Made {
    Rule rule;
    std::unique_ptr<Check> check;  ///< null: it has no port
  };

  std::unique_ptr<RuleSet> secrets_;
  std::vector<Made> made_;
};

bool is_not_made(const CheckResult& result);

/// Returns true if a rule can judge a call before it runs: a program or spoor itself checks it, and
/// it does not examine answers. A model's judgement is not a gate.
bool can_gate(const Rule& rule);

/// Returns the rules for which can_gate() is true.
Rules gating(const Rules& rules);

}  // namespace spoor::guard::check
