#pragma once

#include <string>

#include "api/workspace.h"
#include "cli/session.h"

namespace spoor::cli {

/// Prints each turn that is written, one a line, until Ctrl-C; as JSON, one object a line, if
/// `is_json`.
Result<void> follow_turns(Session& session, const api::Workspace& workspace,
                          const std::string& branch, bool is_json);

}  // namespace spoor::cli
