#pragma once

#include <string>
#include <string_view>

#include "agent/catalogue.h"
#include "agent/planner.h"

namespace spoor::agent::planners {

/// One tool as a model reads it: id, description, and each parameter with name, type and whether it
/// is required. An id that is not registered is shown as `id (unregistered)`.
std::string describe_tool(const Catalogue::Entry& entry);

/// The system prompt of a run: what the model is to do, the tools, how to answer, how to give
/// reasons. `calling` is never automatic.
std::string build_system_prompt(Strategy strategy, Calling calling, const Catalogue& catalogue,
                                const RunOptions& options);

/// The critic's own; it holds the words `Reflexion critic`.
std::string build_critic_prompt();

/// What a model is told once when its reply cannot be read.
std::string nudge(Calling calling, std::string_view problem);
std::string plan_nudge(std::string_view problem);
std::string critic_nudge(std::string_view problem);

/// What a planner is told once when steps have no reason.
std::string strict_retry(std::size_t steps);

}  // namespace spoor::agent::planners
