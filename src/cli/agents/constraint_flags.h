#pragma once

#include <string>

#include "cli/command.h"
#include "guard/check/run_constraints.h"

namespace spoor::cli {

inline constexpr Option kConstraint{
    "--constraint", "TEXT",     "a rule to keep to (docs/checks.md); may be given again", 0,
    Takes::text,    Count::many};
inline constexpr Option kConstraints{"--constraints", "FILE", "a file of rules to keep to", 0,
                                     Takes::path};
inline constexpr Option kEnforce{"--enforce", "", "refuse a call that a check fails"};

/// Returns the rules that these options name, after reading them once to check that they can be
/// read. Returns Code::not_found or Code::invalid; the latter also if `--enforce` is given and no
/// rule is checked before a call.
Result<guard::check::RunConstraints> read_constraint_flags(const Arguments& arguments);

/// Warns on stderr about the rules of an enforced run that no gate can enforce.
void warn_of_unenforced(Session& session, const guard::check::Rules& rules);

/// Returns the instructions about the rules for a model, to follow its other instructions; empty
/// without rules.
std::string instructions_of(const guard::check::Rules& rules);

}  // namespace spoor::cli
