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

/// What an answer has to look like.
struct FormatRules {
  bool json = false;           ///< it is one JSON value
  std::string schema;          ///< a JSON Schema that the value fits; empty: none
  std::size_t max_length = 0;  ///< in characters (code points); 0: any
  bool no_emoji = false;
  std::vector<std::string> fences;     ///< languages that code fences may name; empty: any
  bool has_fence_rule = false;         ///< `fences` was given: an empty one allows no fence
  std::vector<std::string> requires_;  ///< RE2: each is found in it
  std::vector<std::string> forbids;    ///< RE2: none is

  bool operator==(const FormatRules&) const = default;
};

/// Where files may be changed and commands may run. Patterns as in paths.h.
struct ScopeRules {
  std::vector<std::string> only;   ///< empty: everywhere
  std::vector<std::string> never;  ///< groups such as `@ci` too
  bool allow_unclear = false;      ///< what nobody can tell is a remark, and no `unknown`

  bool operator==(const ScopeRules&) const = default;
};

/// What must not happen anywhere.
struct SafetyRules {
  bool secrets = true;             ///< none in answers, and none in arguments of calls
  bool destructive = true;         ///< no command that destroys what cannot be had back
  bool has_hosts = false;          ///< `hosts` was given: no others are asked
  std::vector<std::string> hosts;  ///< `example.com`, `example.com:8080`, `*.example.com`
  bool allow_unclear = false;      ///< what nobody can tell is a remark, and no `unknown`
  bool operator==(const SafetyRules&) const = default;
};

/// What has to be so before something leaves the repository.
struct RepoRules {
  bool clean_tree = false;  ///< what was changed is committed
  bool tests = false;       ///< tests ran since the last change, and passed
  std::vector<AgentAction::Type> before = {AgentAction::Type::open_pr, AgentAction::Type::merge,
                                           AgentAction::Type::deploy};
  bool operator==(const RepoRules&) const = default;
};

/// How well the work was done.
struct QualityRules {
  bool tests = false;       ///< when the work is said to be done, the tests that ran last passed
  bool exit_codes = false;  ///< a command fails: a remark
  std::optional<std::int64_t> max_retries;  ///< of a call that fails, with the same arguments
  bool operator==(const QualityRules&) const = default;
};

/// No text hides another one: it has no member.
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
  std::string model;  ///< `provider/model`; empty: the one that is set
  bool operator==(const JudgeRules&) const = default;
};

/// A rule and how it is checked; in words only, it is known and not checked.
struct Rule {
  using How = std::variant<std::monostate, FormatRules, ScopeRules, SafetyRules, RepoRules,
                           QualityRules, HiddenRules, CommandRules, JudgeRules>;

  Constraint constraint;
  How how;
  std::optional<Severity> severity;   ///< of each violation; nothing: as the check has it
  std::vector<AgentAction::Type> on;  ///< actions that it looks at; empty: as the check has it

  bool operator==(const Rule& other) const;
};

/// Is it words alone, which no check looks at?
inline bool is_words(const Rule& rule) { return std::holds_alternative<std::monostate>(rule.how); }

/// Rules in their order; no two have one id.
struct Rules {
  std::vector<Rule> rules;

  /// As an event says them.
  std::vector<Constraint> constraints() const;

  /// Is there one that runs a program?
  bool has_commands() const;

  /// Is there one that runs a program or asks a model?
  bool asks_others() const;
};

/// Reads a file of constraints: TOML 1.0, docs/checks.md has the members. What is not understood
/// is refused, an unknown member too: a rule that is misspelt must not be one that checks nothing.
/// Code::invalid, with `file_name:line`.
Result<Rules> read_constraints(std::string_view toml, std::string_view file_name);

/// A rule that a person types: words, of which three forms are checked by a program:
///   scope: only [under] PATTERN, PATTERN      scope: never PATTERN, PATTERN
///   safety: hosts HOST, HOST
/// The type before the colon may be any that there is, and may be absent; behind `scope` and
/// `safety` only these forms may stand, since a check that is mistyped must not be mere words.
/// `number` counts them within a request, from 1, and makes the id, `request-1`. Code::invalid for
/// what is empty or no form, and for `repo:`, `command:` and `judge:`, which only files have.
Result<Rule> constraint_from_text(std::string_view text, std::size_t number);

/// Both, those of `first` before the others; of two with one id that of `first` stays.
Rules joined(Rules first, Rules then);

}  // namespace spoor::guard::check
