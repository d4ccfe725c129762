#pragma once

#include "cli/session.h"

namespace spoor::cli::batch {

/// Answers standard input line by line, in order. Flushes answers before waiting for more input.
/// Writing lines that arrived together are written under one hold of the writer's lock, each as its
/// own transaction. Skips blank lines.
Result<void> run_batch(Session& session);

}  // namespace spoor::cli::batch
