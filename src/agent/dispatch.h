#pragma once

#include <string_view>

#include "agent/catalogue.h"

namespace spoor::agent {

/// Runs a tool call. Returns a failed result if the id is unknown or not offered in this run, if
/// the arguments are not an object (empty: `{}`) or do not fit the tool's schema, or if the tool
/// fails or throws. Also requests `context.stop` when the tool's timeout expires.
ToolResult dispatch(const Catalogue& catalogue, std::string_view id, std::string_view arguments,
                    ToolContext context);

/// Returns the failed result of a call that `dispatch` would refuse; else nullopt.
std::optional<ToolResult> refusal_of(const Catalogue& catalogue, std::string_view id,
                                     std::string_view arguments);

/// The fact of a result that was refused before anything was done. Its value is what refused it:
/// `tools` (unknown tool or wrong arguments), `reasons`, `gate` or `person`.

/// The text of a result that is unknown because the process ended while the tool ran.
constexpr std::string_view kUnverified = "interrupted, effect unverified";

}  // namespace spoor::agent
