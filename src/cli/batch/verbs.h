#pragma once

#include "cli/batch/operations.h"
#include "cli/command.h"

namespace spoor::cli::batch {

/// Returns the command that a program can run by this name: one that prints a JSON document, and is
/// marked as callable. Null if there is none.
const Command* find_callable(std::string_view name);

/// Runs a command with `--json`, as the shell does, with the members of `request` as its parameters
/// (`include_reasoning` is `--include-reasoning`). A revision may be a `$name`. Returns the
/// document. It cannot read standard input, which holds the requests.
Result<std::string> run_callable(Session& session, const Context& context, const Command& command,
                                 const json::Value& request);

}  // namespace spoor::cli::batch
