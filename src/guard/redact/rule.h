#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::guard {

/// The text that an allowlist compares.
enum class AllowTarget { secret, match, line };

/// Findings to ignore. One condition is enough, unless `all` is set.
struct Allowlist {
  std::string description;
  std::vector<std::string> regexes;    ///< RE2, found anywhere in the target
  std::vector<std::string> stopwords;  ///< contained in the secret, in any case
  std::vector<std::string> paths;      ///< RE2, found in the path of the text
  AllowTarget target = AllowTarget::secret;
  bool all = false;
};

/// An arithmetic check that a secret must pass in addition to its shape.
enum class Check { none, luhn, mod97 };

/// The shape of a secret. The names and the structure are those of gitleaks' rule files; `check`,
/// `reach`, `guesses`, `skip_dummies` and the examples are spoor's.
struct Rule {
  std::string id;  ///< `[a-z0-9-]`, at most 40; part of the placeholder
  std::string description;
  std::string regex;  ///< RE2's syntax, over bytes: `\w` and the like are ASCII
  int secret_group = 0;
  /// The text must contain one of them (in any case) before the regex is tried; `\d` in a keyword
  /// is any digit. If there are none, the regex is tried on every text.
  std::vector<std::string> keywords;
  double entropy = 0;  ///< minimum bits per character (Shannon) of the secret
  std::string path;    ///< RE2: must match the text's path if that is known
  Check check = Check::none;
  /// The maximum distance of a match from its keyword on either side, in bytes; 0: any distance.
  std::size_t reach = 0;
  /// Harmless values may have the shape of the secret, so the rule ignores JSON members for ids,
  /// hashes, times and paths (denied_keys.h).
  bool guesses = false;
  /// The rule ignores texts that are obviously not secrets (dummies.h). A file sets this for all of
  /// its rules.
  bool skips_dummies = false;
  /// The rule came with a store, and only adds: it never suppresses another rule's finding.
  bool only_adds = false;
  std::vector<Allowlist> allowlists;
  std::vector<std::string> positive;  ///< texts in which it must find something
  std::vector<std::string> negative;  ///< texts in which it must not
};

/// A file of rules.
struct RuleFile {
  std::vector<Rule> rules;
  std::vector<Allowlist> allowlists;  ///< for every rule
  std::vector<std::string> disabled;  ///< ids of built-in rules to disable
};

/// The rules that a file adds, and its ignored parts that would allow something.
struct Additions {
  std::vector<Rule> rules;           ///< all with `only_adds`
  std::vector<std::string> ignored;  ///< in words: "2 allowlists for every rule"
};

/// Returns the part of `file` that is safe for a store, which may come from elsewhere: its rules.
/// Allowlists for every rule and the disabling of built-in rules are ignored. An allowlist within a
/// rule is kept: it applies only to that rule.
Additions additions_of(RuleFile file);

/// Reads a file of rules: TOML 1.0 in the structure of gitleaks' files (docs/audit.md lists the
/// members). Refuses unknown members and anything else that it does not understand: a misspelt rule
/// must not become a rule that does nothing. Regexes are compiled later (rule_set.h). Returns
/// Code::invalid, with `file_name:line`.
Result<RuleFile> read_rules(std::string_view toml, std::string_view file_name);

}  // namespace spoor::guard
