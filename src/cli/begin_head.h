#pragma once

#include <string>

#include "api/workspace.h"

namespace spoor::cli {

/// Moves HEAD to a ref that was recorded, if HEAD names no commit yet and the ref is a branch.
/// Returns the branch; empty: HEAD stays.
Result<std::string> begin_head(api::Workspace& workspace, const std::string& ref);

}  // namespace spoor::cli
