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

/// What checks stand on. All of it outlives them.
struct CheckPorts {
  std::string root;              ///< absolute, of the folder that is worked in; empty: not known
  Programs* programs = nullptr;  ///< null: checks by programs are not made, and say so
  Judges* judges = nullptr;      ///< null: likewise those by models
  bool sees_links = false;       ///< symbolic links beneath the root are followed, as they are now
};

/// The checks of a set of rules, in their order. For one thread.
class Checks {
 public:
  /// Code::invalid for a schema or an expression that is none.
  static Result<Checks> make(const Rules& rules, const CheckPorts& ports);

  /// What each check that has something to say says of the event, by the ids and types of the
  /// rules. One that could not be made is `unknown`, with a violation `<id>.not-made`.
  std::vector<CheckResult> judge(const DecisionEvent& event);

  /// The event happened; see Check.
  void observe(const DecisionEvent& event);

  /// Are there none? Rules in words alone are none.
  bool empty() const { return made_.empty(); }

 private:
  struct Made {
    Rule rule;
    std::unique_ptr<Check> check;  ///< null: there is no port for it
  };

  std::unique_ptr<RuleSet> secrets_;
  std::vector<Made> made_;
};

/// Could a check not be made?
bool is_not_made(const CheckResult& result);

/// Can a rule look at a call before it runs? A program or a part of spoor judges, and not what was
/// said. A model's word is no gate.
bool can_gate(const Rule& rule);

/// Those of the rules that can.
Rules gating(const Rules& rules);

}  // namespace spoor::guard::check
