#pragma once

#include <string>

#include "agent/planner.h"

namespace spoor::agent {

/// How a tool hands a part of the work to another agent.
struct SubagentSettings {
  std::string id = "delegate";
  std::string description =
      "Hands a part of the work to another agent, which sees nothing but the goal it is given, and "
      "gives its answer.";
  Strategy strategy = Strategy::react;
  llm::Candidate llm;
  graph::Repository* repository = nullptr;  ///< where it works; outlives the tool
  std::string branch;  ///< it works on `<branch>-1`, `<branch>-2`, … : the first that is free
  std::string principal;
  RunOptions options;  ///< without this tool, unless agents may nest for ever
};

/// A tool with one parameter, `goal`: a run of its own, on a branch of its own, of which the answer
/// comes back as the result and everything else stays there to be read. It has what is left of the
/// budget of the run that called it, where its own options do not say less, and books with the same
/// tracker. Facts of the result: `subrun`, its id, and `stopped`.
Tool make_subagent(SubagentSettings settings);

}  // namespace spoor::agent
