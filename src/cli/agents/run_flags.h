#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/planner.h"
#include "cli/agents/agent_setup.h"
#include "cli/agents/run_lock.h"
#include "cli/command.h"
#include "cli/session.h"

// What the commands that run agents share.
namespace spoor::cli {

inline constexpr Option kModel{"--model", "PROVIDER/MODEL", "who thinks"};
inline constexpr Option kFallback{"--fallback",
                                  "PROVIDER/MODEL",
                                  "who is asked when the one before could not; may be given again",
                                  0,
                                  Takes::text,
                                  Count::many};
inline constexpr Option kMaxSteps{"--max-steps", "N", "stop after N turns", 0, Takes::number};
inline constexpr Option kMaxReplans{"--max-replans", "N", "new plans after failures", 0,
                                    Takes::number};
inline constexpr Option kMaxOuter{"--max-iterations", "N", "attempts under the critic", 0,
                                  Takes::number};
inline constexpr Option kMaxCost{"--max-cost", "DOLLARS", "stop when so much was spent"};
inline constexpr Option kMaxTokens{"--max-tokens", "N", "stop when so many tokens were used", 0,
                                   Takes::number};
inline constexpr Option kMaxTime{"--max-time", "SECONDS", "stop after so long", 0, Takes::number};
inline constexpr Option kNoRationale{"--no-rationale", "", "do not ask why, which saves tokens"};

/// Sets the limits that the line names; the others stay. Code::invalid for what is none.
Result<void> read_limits(const Arguments& arguments, agent::RunOptions& options);

/// Who is asked, in order: `models`, but for what `--model` and `--fallback` of the line replace.
std::vector<std::string> models_of(std::vector<std::string> models, const Arguments& arguments);

/// Adds what the session captures, and where it runs, so that a run is never gone on with more
/// fully.
Result<void> keep_capture(Session& session, ToolSettings& kept);

/// The tools and models that a recorded run was started with, and its options; `--model`,
/// `--fallback`, `--no-rationale` and limits of the line replace them.
Result<std::unique_ptr<AgentSetup>> open_recorded(Session& session, const std::string& run,
                                                  const Arguments& arguments,
                                                  agent::RunOptions& options, Use use = Use::live);

/// Does `work`, which is a run with these options, shows it while it goes on, and how it ended.
/// Ctrl-C ends it. `lock` has the branch, and gets the run.
Result<void> run_shown(Session& session, RunLock& lock, agent::RunOptions& options, bool as_json,
                       const std::function<Result<agent::PlanResult>()>& work);

}  // namespace spoor::cli
