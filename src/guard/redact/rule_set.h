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

/// The source of a text, for rules that depend on it.
struct Surroundings {
  std::string_view path;  ///< of the file it was read from; empty: not known
  std::string_view key;   ///< of the member whose value it is; empty: none
};

/// A secret in a text.
struct Finding : Span {
  std::size_t rule = 0;  ///< position in RuleSet::rules()
};

/// Rules that are ready to run. One automaton has all their keywords, and each regex is compiled
/// when one of its keywords first occurs. Time is linear in the text, whatever the rules (RE2).
///
/// Safe to use from any thread.
class RuleSet {
 public:
  /// Creates a set in which `allowlists` apply to every rule.
  explicit RuleSet(std::vector<Rule> rules, std::vector<Allowlist> allowlists = {});
  ~RuleSet();
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  /// Returns the built-in rules after those of `own`; a rule of `own` replaces the built-in rule
  /// with its id. The rules of `added` (additions_of) come first and replace none. Returns
  /// Code::not_found if `own` disables a rule that does not exist.
  static Result<std::unique_ptr<RuleSet>> with_builtin(RuleFile own = {}, Additions added = {});

  const std::vector<Rule>& rules() const { return rules_; }

  /// Returns the secrets in `text`, in order, without overlaps: findings of several rules that
  /// overlap are merged into one finding of the first rule. Placeholders are not findings. A
  /// finding begins and ends between characters. Returns Code::denied if a rule that must run
  /// cannot; the text must not be used then.
  Result<std::vector<Finding>> find(std::string_view text, const Surroundings& where = {}) const;

  /// Compiles everything. Returns Code::invalid, with the rule's name, if RE2 refuses an
  /// expression.
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

/// An example that contradicts its rule.
struct ExampleFailure {
  std::string rule;
  std::string text;     ///< of the example
  std::string problem;  ///< "finds nothing", "finds something"
};

/// Runs every example with its rule alone: a positive example must contain a secret, a negative one
/// must not. Returns Code::denied if a rule cannot be run.
Result<std::vector<ExampleFailure>> failing_examples(const RuleSet& rules);

/// Returns the text of rules.toml at the time of the build.
std::string_view builtin_rules();

}  // namespace spoor::guard
