#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// Rules for the form of an answer.
struct FormatRules {
  bool json = false;           ///< it is one JSON value
  std::string schema;          ///< a JSON Schema that the value fits; empty: none
  std::size_t max_length = 0;  ///< in characters (code points); 0: any
  bool no_emoji = false;
  std::vector<std::string> fences;     ///< languages that code fences may name; empty: any
  bool has_fence_rule = false;         ///< `fences` was given: an empty one allows no fence
  std::vector<std::string> requires_;  ///< RE2: each must match
  std::vector<std::string> forbids;    ///< RE2: none may match

  bool operator==(const FormatRules&) const = default;
};

/// The folders in which files may be changed and commands may run. Patterns as in paths.h.
struct ScopeRules {
  std::vector<std::string> only;   ///< empty: everywhere
  std::vector<std::string> never;  ///< groups such as `@ci` too
  bool allow_unclear = false;  ///< an effect that cannot be known is a remark instead of `unknown`

  bool operator==(const ScopeRules&) const = default;
};

/// Rules against harm anywhere.
struct SafetyRules {
  bool secrets = true;             ///< no secrets in answers or in arguments of calls
  bool destructive = true;         ///< no command that destroys what cannot be restored
  bool has_hosts = false;          ///< `hosts` was given: other hosts must not be contacted
  std::vector<std::string> hosts;  ///< `example.com`, `example.com:8080`, `*.example.com`
  bool allow_unclear = false;  ///< an effect that cannot be known is a remark instead of `unknown`
  bool operator==(const SafetyRules&) const = default;
};

/// Conditions for actions that leave the repository.
struct RepoRules {
  bool clean_tree = false;  ///< every change is committed
  bool tests = false;       ///< tests ran since the last change, and passed
  std::vector<AgentAction::Type> before = {AgentAction::Type::open_pr, AgentAction::Type::merge,
                                           AgentAction::Type::deploy};
  bool operator==(const RepoRules&) const = default;
};

/// Rules for the quality of the work.
struct QualityRules {
  bool tests = false;       ///< when the work is reported as done, the last tests have passed
  bool exit_codes = false;  ///< a command fails: a remark
  std::optional<std::int64_t> max_retries;  ///< of a call that fails, with the same arguments
  bool operator==(const QualityRules&) const = default;
};

/// No text hides another text. Has no members.
struct HiddenRules {
  bool operator==(const HiddenRules&) const = default;
};

/// A program that judges (programs.h).
struct CommandRules {
  std::vector<std::string> argv;
  std::chrono::milliseconds timeout{10'000};
  bool operator==(const CommandRules&) const = default;
};

/// A model that judges (judge.h).
struct JudgeRules {
  std::string model;  ///< `provider/model`; empty: the configured one
  bool operator==(const JudgeRules&) const = default;
};

/// A rule and how it is checked. A rule in words only is not checked.
struct Rule {
  using How = std::variant<std::monostate, FormatRules, ScopeRules, SafetyRules, RepoRules,
                           QualityRules, HiddenRules, CommandRules, JudgeRules>;

  Constraint constraint;
  How how;
  std::optional<Severity> severity;   ///< of each violation; nullopt: as the check sets it
  std::vector<AgentAction::Type> on;  ///< the actions to check; empty: as the check sets it

  bool operator==(const Rule& other) const;
};

/// Returns true if the rule is words only, without a check.
inline bool is_words(const Rule& rule) { return std::holds_alternative<std::monostate>(rule.how); }

/// Rules in their order, with unique ids.
struct Rules {
  std::vector<Rule> rules;

  /// Returns the rules as an event lists them.
  std::vector<Constraint> constraints() const;

  /// Returns true if a rule runs a program.
  bool has_commands() const;

  /// Returns true if a rule runs a program or asks a model.
  bool asks_others() const;
};

/// Reads a file of constraints: TOML 1.0; docs/checks.md lists the members. Refuses unknown members
/// and anything else that it does not understand: a misspelt rule must not become a rule that
/// checks nothing. Returns Code::invalid, with `file_name:line`.
Result<Rules> read_constraints(std::string_view toml, std::string_view file_name);

/// Parses a rule that a person types: words, of which three forms are checked by a program:
///
///   scope: only [under] PATTERN, PATTERN      scope: never PATTERN, PATTERN
///   safety: hosts HOST, HOST
///
/// The type before the colon may be any existing type, and may be absent. After `scope` and
/// `safety` only these forms are allowed, since a mistyped check must not become mere words.
/// `number` is the position within a request, from 1, and makes the id `request-1`. Returns
/// Code::invalid for an empty text, an invalid form, and for `repo:`, `command:` and `judge:`,
/// which only files may contain.
Result<Rule> constraint_from_text(std::string_view text, std::size_t number);

/// Returns both, `first` before `then`. If an id is in both, the rule of `first` is kept.
Rules joined(Rules first, Rules then);

}  // namespace spoor::guard::check
