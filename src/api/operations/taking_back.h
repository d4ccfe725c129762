#pragma once

#include <string_view>

#include "api/workspace.h"
#include "graph/undo.h"

namespace spoor::api {

/// Returns the step for `undo` to revert: the one that `operation` names, else the newest, which
/// must be this author's own.
Result<graph::Step> step_to_undo(const Workspace& workspace, std::string_view operation);

/// Returns the step for `redo`, by the same rules.
Result<graph::Step> step_to_redo(const Workspace& workspace, std::string_view operation);

/// Reverts a step as `command` (graph::kUndo, or graph::kRedo for an undo). If the step moved HEAD
/// and nothing has moved it since, HEAD returns to its earlier position. If HEAD's branch is
/// removed, HEAD returns to its previous position, if that still exists.
Result<void> take_back(Workspace& workspace, std::string_view command, const graph::Step& step);

}  // namespace spoor::api
