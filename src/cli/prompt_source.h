#pragma once

#include "api/workspace.h"
#include "cli/arguments.h"

namespace spoor::cli {

using api::Workspace;
using store::Oid;

/// Returns the commit whose prompt `revision` and `--at` name; nullopt for HEAD of a branch without
/// commits. Returns Code::not_found if `--at` is neither the revision nor before it.
Result<std::optional<Oid>> prompt_commit(const Workspace& workspace, const Arguments& arguments);
Result<std::optional<Oid>> prompt_commit(const Workspace& workspace, const Arguments& arguments,
                                         const std::string& revision);

/// Returns the prompt there, with the command's compile options (common_options.h).
Result<compile::Prompt> compile_named(const Workspace& workspace, const Arguments& arguments,
                                      bool lists_left_out = true);

}  // namespace spoor::cli
