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

/// What these say, read once to see that it can be. Code::not_found, Code::invalid; also for
/// `--enforce` of nothing that is checked before a call.
Result<guard::check::RunConstraints> read_constraint_flags(const Arguments& arguments);

/// Says on stderr which of the rules of an enforced run no gate can hold it to.
void warn_of_unenforced(Session& session, const guard::check::Rules& rules);

/// What a model is told of them, to stand behind its other instructions; empty for none.
std::string instructions_of(const guard::check::Rules& rules);

}  // namespace spoor::cli
