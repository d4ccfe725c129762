#pragma once

#include <string_view>
#include <vector>

#include "api/operations/operations.h"

namespace spoor::api::operations {

// The commands that are operations too: those of api/command.h and those of the host.

/// Returns their names; none without a host.
std::vector<std::string_view> command_names(const Context& context);
bool is_command(const Context& context, std::string_view name);

/// Runs a command, appends its document as the next value, and gives the commit that the document
/// names the name in `as`.
Result<void> run_command(Context& context, std::string_view name, const json::Value& request,
                         JsonWriter& json);

}  // namespace spoor::api::operations
