#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::guard {

/// What a finding is compared with when an allowlist looks at it.
enum class AllowTarget { secret, match, line };

/// Findings that are none. One condition is enough, unless `all` is set.
struct Allowlist {
  std::string description;
  std::vector<std::string> regexes;    ///< RE2, found anywhere in the target
  std::vector<std::string> stopwords;  ///< found anywhere in the secret, in any case
  std::vector<std::string> paths;      ///< RE2, found in the path that the text comes from
  AllowTarget target = AllowTarget::secret;
  bool all = false;
};

/// An arithmetic check that a secret must pass beside its shape.
enum class Check { none, luhn, mod97 };

/// What a secret looks like. The names are those of gitleaks' rule files, of which the shape is
/// taken; `check`, `reach`, `guesses`, `skip_dummies` and the examples are ours.
struct Rule {
  std::string id;  ///< `[a-z0-9-]`, at most 40; stands in the placeholder
  std::string description;
  std::string regex;  ///< RE2's syntax, over bytes: `\w` and the like are ASCII
  int secret_group = 0;
  /// One of them must stand in the text (in any case) before the regex is tried; `\d` in one is
  /// any digit. None: it is tried on every text.
  std::vector<std::string> keywords;
  double entropy = 0;  ///< bits a character (Shannon) that the secret has at least
  std::string path;    ///< RE2: where the text's path is known, it must match; else it is tried
  Check check = Check::none;
  /// How far a match may go to either side of its keyword, in bytes; 0: any distance.
  std::size_t reach = 0;
  /// It knows its secret by a shape that harmless values may have as well: it passes over members
  /// of JSON objects that hold ids, hashes, times and paths (denied_keys.h).
  bool guesses = false;
  /// It passes over what is obviously no secret (dummies.h). A file says it for all of its rules.
  bool skips_dummies = false;
  /// It came with a store, and only adds: it never keeps another rule from a finding.
  bool only_adds = false;
  std::vector<Allowlist> allowlists;
  std::vector<std::string> positive;  ///< texts in which it must find something
  std::vector<std::string> negative;  ///< texts in which it must not
};

/// A file of rules.
struct RuleFile {
  std::vector<Rule> rules;
  std::vector<Allowlist> allowlists;  ///< for every rule
  std::vector<std::string> disabled;  ///< ids of built-in rules that are not wanted
};

/// What a file of rules adds, and what in it would allow something.
struct Additions {
  std::vector<Rule> rules;           ///< all with `only_adds`
  std::vector<std::string> ignored;  ///< in words: "2 allowlists for every rule"
};

/// The part of `file` that is good for a store, which may come from elsewhere: its rules.
/// Allowlists for every rule, and built-in rules that it leaves out, are ignored. An allowlist of a
/// rule of its own stays: it is for that rule alone.
Additions additions_of(RuleFile file);

/// Reads a file of rules: TOML 1.0 in the shape of gitleaks' (docs/audit.md has the members).
/// What is not understood is refused, an unknown member too: a rule that is misspelt must not be
/// a rule that does nothing. Regexes are compiled later (rule_set.h). Code::invalid, with
/// `file_name:line`.
Result<RuleFile> read_rules(std::string_view toml, std::string_view file_name);

}  // namespace spoor::guard
