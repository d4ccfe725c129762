#pragma once

#include <string_view>

#include "agent/catalogue.h"

namespace spoor::agent {

/// Runs a call of a tool, or says why not: as a failed result when the id is unknown or not offered
/// in this run, when the arguments are no object (empty: `{}`) or do not fit the tool's schema, and
/// when the tool fails or throws. `context.stop` is also requested when the tool's time is over.
ToolResult dispatch(const Catalogue& catalogue, std::string_view id, std::string_view arguments,
                    ToolContext context);

/// Why `dispatch` would not run the call: a failed result; nothing when it would.
std::optional<ToolResult> refusal_of(const Catalogue& catalogue, std::string_view id,
                                     std::string_view arguments);

/// The fact of a result that says who refused the call, so that nothing was done: `tools` (no such
/// tool, or not with these arguments), `reasons`, `gate` or `person`.

/// What stands for a result that is not known: the process ended while the tool ran.
constexpr std::string_view kUnverified = "interrupted, effect unverified";

}  // namespace spoor::agent
