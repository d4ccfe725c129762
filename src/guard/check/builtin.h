#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/check/check.h"
#include "guard/check/constraints.h"
#include "guard/redact/rule_set.h"

// The checks that come with spoor, a file each. What they find, and what they pass over, is in
// docs/checks.md; each `.cc` says its own ids. None reads a clock or the network, and a disk only
// where that is said.
namespace spoor::guard::check {

/// format.cc: of what a model says. Code::invalid for a schema or an expression that is none.
Result<std::unique_ptr<Check>> make_format(const FormatRules& rules);

/// scope.cc: of files that are changed and folders that are worked in. `root`: absolute; empty: not
/// known, and absolute paths are then held against patterns as far as that can be done.
/// `sees_links`: a path is also held against them as it is behind symbolic links, which the disk is
/// asked for.
std::unique_ptr<Check> make_scope(const ScopeRules& rules, std::string root,
                                  bool sees_links = false);

/// safety.cc. `secrets` outlives it.
std::unique_ptr<Check> make_safety(const SafetyRules& rules, std::string root,
                                   const RuleSet& secrets);

/// repo.cc and quality.cc keep what they are told.
std::unique_ptr<Check> make_repo(const RepoRules& rules);
std::unique_ptr<Check> make_quality(const QualityRules& rules);

/// hidden.cc: of texts with characters that nobody sees.
std::unique_ptr<Check> make_hidden();

/// The rules by which a secret is known: the built-in ones of redaction but for those that know
/// addresses, telephone, card and bank numbers, which are private but no keys.
Result<std::unique_ptr<RuleSet>> rules_of_secrets();

/// The text of effects.toml, as it was when this program was built.
std::string_view builtin_effects();

}  // namespace spoor::guard::check
