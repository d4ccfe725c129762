#pragma once

#include <string>

#include "agent/planner.h"

namespace spoor::agent {

/// The settings of a tool that delegates work to another agent.
struct SubagentSettings {
  std::string id = "delegate";
  std::string description =
      "Hands a part of the work to another agent, which sees nothing but the goal it is given, and "
      "gives its answer.";
  Strategy strategy = Strategy::react;
  llm::Candidate llm;
  graph::Repository* repository = nullptr;  ///< where it works; must outlive the tool
  std::string branch;  ///< it works on the first free one of `<branch>-1`, `<branch>-2`, …
  std::string principal;
  RunOptions options;  ///< without this tool, unless agents may nest without limit
  /// Changes the options of a run before it begins; may be empty.
  std::function<void(RunOptions& options)> prepare = {};
};

/// Makes a tool with one parameter, `goal`. A call starts a run on its own branch; its answer is
/// the tool's result, and the rest stays on that branch. The run gets the remaining budget of the
/// calling run, or that of its own options if smaller, and books with the same tracker. Facts of
/// the result: `subrun`, the run's id, and `stopped`.
///
/// A call whose process ended, or that a person has to decide about, goes on when the calling run
/// is resumed: its run is found by the call and continued from its record. If that run has ended,
/// its recorded answer is the result. Its earlier cost is booked again.
///
/// The calling run is told the run's events (RunEvent::agent).
Tool make_subagent(SubagentSettings settings);

}  // namespace spoor::agent
