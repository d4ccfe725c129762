#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/catalogue.h"
#include "agent/planner.h"

namespace spoor::agent::planners {

/// Describes a tool to a model: id, description, and each parameter with name, type and whether it
/// is required. An unregistered id is shown as `id (unregistered)`.
std::string describe_tool(const Catalogue::Entry& entry);

/// Builds the system prompt of a run: the task, the tools, how to answer, how to give reasons.
/// `calling` is never automatic.
std::string build_system_prompt(Strategy strategy, Calling calling, const Catalogue& catalogue,
                                const RunOptions& options);

/// Builds the critic's system prompt; it contains the words `Reflexion critic`.
std::string build_critic_prompt();

/// Return the one message to a model whose reply cannot be read.
std::string nudge(Calling calling, std::string_view problem);
std::string continue_nudge();
std::string unread_call_nudge(Calling calling);
std::string broken_answer_nudge();
std::string plan_nudge(std::string_view problem);
std::string critic_nudge(std::string_view problem);

/// A step of a plan that is done, as a new plan is told of it.
struct DoneStep {
  std::string action, arguments, output;  ///< the last two JSON
};

/// Returns what a model is told when a step of its plan has failed: what is done, and how the new
/// plan may refer to it.
std::string replan_prompt(std::string_view failed, const std::vector<DoneStep>& done);

/// Ask for the answer to the goal when the steps of a plan are done; again if there was none.
std::string answer_prompt();
std::string answer_nudge();

/// Returns the one message to a planner whose steps have no reasons.
std::string strict_retry(std::size_t steps);

}  // namespace spoor::agent::planners
