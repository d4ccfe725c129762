#pragma once

#include <string_view>

#include "api/workspace.h"
#include "graph/undo.h"

namespace spoor::cli {

using api::Workspace;

/// The step that `undo` means: the one that `operation` names, else the newest, which has to be
/// this author's own.
Result<graph::Step> step_to_undo(const Workspace& workspace, std::string_view operation);

/// The same for `redo`.
Result<graph::Step> step_to_redo(const Workspace& workspace, std::string_view operation);

/// Takes a step back as `command` (graph::kUndo, or graph::kRedo for an undo). HEAD goes where
/// it was before the step, if that had moved it and nothing has since; a branch that goes takes
/// HEAD with it to where that was before, if that is still there.
Result<void> take_back(Workspace& workspace, std::string_view command, const graph::Step& step);

}  // namespace spoor::cli
