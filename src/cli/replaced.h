#pragma once

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// Prints a note on standard error if a summary replaces `target` at `tip`, so that the directive
/// just written about it does not change the prompt.
Result<void> warn_if_replaced(Session& session, const Workspace& workspace, const Oid& tip,
                              const Oid& target);

}  // namespace spoor::cli
