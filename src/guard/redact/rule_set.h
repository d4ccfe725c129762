#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/redact/rule.h"
#include "trace/placeholder.h"

namespace spoor::guard {

using trace::Span;

/// Where a text comes from, for rules that depend on it.
struct Surroundings {
  std::string_view path;   ///< of the file it was read from; empty: not known
  bool is_denied = false;  ///< the value of a member that rules which guess pass over
};

/// A secret in a text.
struct Finding : Span {
  std::size_t rule = 0;  ///< position in RuleSet::rules()
};

/// Rules, ready to be run: all their keywords in one automaton, each regex compiled when one of its
/// keywords turns up for the first time. Time is linear in the text, whatever the rules say (RE2).
///
/// Safe to use from any thread.
class RuleSet {
 public:
  /// `allowlists` hold for every rule.
  explicit RuleSet(std::vector<Rule> rules, std::vector<Allowlist> allowlists = {});
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  /// The built-in rules, with those of `own` before them; one of the same id takes the place of the
  /// built-in one. Those of `added` (additions_of) come first and take no one's place.
  /// Code::not_found when `own` disables a rule that does not exist.
  static Result<std::unique_ptr<RuleSet>> with_builtin(RuleFile own = {}, Additions added = {});

  const std::vector<Rule>& rules() const { return rules_; }

  /// The secrets in `text`, in order, none overlapping: where several rules find one, all of what
  /// they found is one finding of the first of them. What is a placeholder already is none. A
  /// finding begins and ends between characters. Code::denied when a rule that would have to run
  /// cannot: the text must not be used then.
  Result<std::vector<Finding>> find(std::string_view text, const Surroundings& where = {}) const;

  /// Compiles everything. Code::invalid, with the rule's name, for what RE2 refuses.
  Result<void> compile() const;

 private:
  class Matcher;
  class Allowed;

  std::vector<Rule> rules_;
  std::vector<std::string> ids_;
  std::vector<std::unique_ptr<Allowed>> allowlists_;
  std::vector<std::unique_ptr<Matcher>> matchers_;
  struct Keywords;
  std::unique_ptr<Keywords> keywords_;
};

/// An example that its rule does not bear out.
struct ExampleFailure {
  std::string rule;
  std::string text;     ///< of the example
  std::string problem;  ///< "finds nothing", "finds something"
};

/// Runs every example of every rule, that rule alone: a positive one must hold a secret, and a
/// negative one none. Code::denied when a rule cannot be run.
Result<std::vector<ExampleFailure>> failing_examples(const RuleSet& rules);

/// The text of rules.toml, as it was when this program was built.
std::string_view builtin_rules();

}  // namespace spoor::guard
