#pragma once

#include <string>
#include <vector>

#include "api/json_writer.h"
#include "api/workspace.h"
#include "graph/blame.h"

namespace spoor::cli {

using api::JsonWriter;
using api::Workspace;

/// What `blame --json` says of a prompt, as the next value.
Result<void> write_blame(JsonWriter& json, const Workspace& workspace,
                         const compile::Prompt& prompt);

/// What `why --json` says, as the next value.
Result<void> write_why(JsonWriter& json, const Workspace& workspace, const compile::Prompt& prompt,
                       const std::string& phrase, const std::vector<graph::Occurrence>& found);

}  // namespace spoor::cli
