#pragma once

#include <memory>
#include <string>

#include "agent/planner.h"
#include "agent/session.h"
#include "cli/agents/agent_setup.h"
#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {

inline constexpr Option kCalling{
    .name = "--calling",
    .value = "HOW",
    .help = "the format of tool calls: native, json or text (default: automatic)",
    .takes = Takes::choice,
    .choices = "automatic|native|json|text"};
inline constexpr Option kTokens{
    "--window-tokens", "N", "send at most N tokens of the history (default: what fits the model)",
    0, Takes::number};
inline constexpr Option kWhenFull{
    .name = "--when-full",
    .value = "WAY",
    .help = "what makes room in a full window (default: compact; docs/agents.md)",
    .takes = Takes::choice,
    .choices = "compact|clear|drop"};
inline constexpr Option kRefs{
    .name = "--refs",
    .value = "HOW",
    .help = "for a reason that cites an unknown ref: mark it, or strict: refuse the call",
    .takes = Takes::choice,
    .choices = "mark|strict"};
inline constexpr Option kInstructions{"--instructions", "FILE", "text to add to the system prompt",
                                      0, Takes::path};
inline constexpr Option kNoAgentsMd{"--no-agents-md", "", "do not read the project's AGENTS.md"};
inline constexpr Option kPrincipal{"--principal", "NAME", "the user the run acts for"};

/// An agent that is ready to run.
struct PreparedAgent {
  agent::RunOptions options;
  agent::Session::Options where;
  std::unique_ptr<AgentSetup> setup;  ///< the options use its members
};

/// Opens the model with its fallbacks, and the tools; reads the limits, the constraints and the
/// other options of an agent on the line. Opens the store, and creates the user's own if there is
/// none. `options` are those that hold where the line names no others. Returns the errors of
/// AgentSetup::open(), and usage errors.
Result<PreparedAgent> prepare_agent(Session& session, const Arguments& arguments,
                                    ToolSettings tools, const std::string& model,
                                    agent::RunOptions options = {});

}  // namespace spoor::cli
