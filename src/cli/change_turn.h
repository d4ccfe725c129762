#pragma once

#include <functional>

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// Prints a note on standard error if a summary replaces `target` at `tip`, so that the directive
/// just written about it does not change the prompt.
Result<void> warn_if_replaced(Session& session, const Workspace& workspace, const Oid& tip,
                              const Oid& target);

/// Commits a change of the turn that `revision` names to the current branch, and prints the commit.
/// `change` adds it to the draft and returns its name.
using Change =
    std::function<Result<Oid>(graph::Draft& draft, const std::string& ref, const Oid& target)>;
Result<void> change_turn(Session& session, const Arguments& arguments, const char* command,
                         const Change& change);

}  // namespace spoor::cli
