#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/check/check.h"
#include "guard/check/constraints.h"
#include "guard/redact/rule_set.h"

// The checks that come with spoor, one per file. docs/checks.md describes what they find and
// ignore; each `.cc` lists its ids. None reads a clock or the network; only the checks marked so
// read a disk.
namespace spoor::guard::check {

/// format.cc: checks answers of models. Returns Code::invalid for an invalid schema or expression.
Result<std::unique_ptr<Check>> make_format(const FormatRules& rules);

/// scope.cc: checks changed files and working folders. `root` is absolute; empty means unknown, and
/// absolute paths are then matched with patterns as far as possible. With `sees_links`, a path is
/// also matched after its symbolic links are resolved on the disk.
std::unique_ptr<Check> make_scope(const ScopeRules& rules, std::string root,
                                  bool sees_links = false);

/// safety.cc. `secrets` must outlive the check.
std::unique_ptr<Check> make_safety(const SafetyRules& rules, std::string root,
                                   const RuleSet& secrets);

/// repo.cc and quality.cc keep state from observed events.
std::unique_ptr<Check> make_repo(const RepoRules& rules);
std::unique_ptr<Check> make_quality(const QualityRules& rules);

/// hidden.cc: checks texts for invisible characters.
std::unique_ptr<Check> make_hidden();

/// Returns the rules that detect secrets: the built-in rules of redaction except those for
/// addresses, telephone, card and bank numbers, which are private but not keys.
Result<std::unique_ptr<RuleSet>> rules_of_secrets();

/// Returns the text of effects.toml at the time of the build.
std::string_view builtin_effects();

}  // namespace spoor::guard::check
