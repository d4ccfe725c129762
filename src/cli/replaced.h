#pragma once

#include "cli/session.h"

namespace spoor::cli {

using store::Oid;

/// Says on standard error when at `tip` a summary stands for `target`: what has just been written
/// about it changes no prompt.
Result<void> warn_if_replaced(Session& session, const Workspace& workspace, const Oid& tip,
                              const Oid& target);

}  // namespace spoor::cli
