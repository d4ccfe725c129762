#pragma once

#include "api/workspace.h"
#include "cli/arguments.h"

namespace spoor::cli {

using api::Workspace;
using store::Oid;

/// The commit whose prompt a command's `revision` and `--at` mean; nothing for
/// HEAD of a branch without commits. Code::not_found when `--at` is neither the
/// revision nor before it.
Result<std::optional<Oid>> prompt_commit(const Workspace& workspace, const Arguments& arguments);

/// The prompt there, by the command's compile options (common_options.h).
Result<compile::Prompt> compile_named(const Workspace& workspace, const Arguments& arguments);

}  // namespace spoor::cli
