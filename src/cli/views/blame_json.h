#pragma once

#include <string>
#include <vector>

#include "api/json_writer.h"
#include "api/workspace.h"
#include "graph/blame.h"

namespace spoor::cli {

using api::JsonWriter;
using api::Workspace;

/// Writes the output of `blame --json` for a prompt as the next value.
Result<void> write_blame(JsonWriter& json, const Workspace& workspace,
                         const compile::Prompt& prompt);

/// Writes the output of `why --json` as the next value.
Result<void> write_why(JsonWriter& json, const Workspace& workspace, const compile::Prompt& prompt,
                       const std::string& phrase, const std::vector<graph::Occurrence>& found);

}  // namespace spoor::cli
