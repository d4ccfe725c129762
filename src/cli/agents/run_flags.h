#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/planner.h"
#include "cli/agents/agent_setup.h"
#include "cli/agents/ask_person.h"
#include "cli/agents/run_lock.h"
#include "cli/command.h"
#include "cli/session.h"

// Options and functions shared by the commands that run agents.
namespace spoor::cli {

inline constexpr Option kModel{"--model", "PROVIDER/MODEL", "the model of the agent"};
inline constexpr Option kFallback{"--fallback",
                                  "PROVIDER/MODEL",
                                  "the model to ask if the one before fails; may be given again",
                                  0,
                                  Takes::text,
                                  Count::many};
inline constexpr Option kMaxSteps{"--max-steps", "N", "stop after N turns", 0, Takes::number};
inline constexpr Option kMaxReplans{"--max-replans", "N", "at most N new plans after failures", 0,
                                    Takes::number};
inline constexpr Option kMaxOuter{"--max-iterations", "N", "at most N attempts with the critic", 0,
                                  Takes::number};
inline constexpr Option kMaxCost{"--max-cost", "DOLLARS", "stop after spending this much"};
inline constexpr Option kMaxTokens{"--max-tokens", "N", "stop after this many tokens", 0,
                                   Takes::number};
inline constexpr Option kMaxTime{"--max-time", "SECONDS", "stop after this time", 0, Takes::number};
inline constexpr Option kAnswerTokens{
    "--answer-tokens", "N", "limit an answer to N tokens (default: as many as the model writes)", 0,
    Takes::number};
inline constexpr Option kTemperature{"--temperature", "X",
                                     "0 for the most likely answers; '-' for the model's own"};
inline constexpr Option kNoRationale{"--no-rationale", "",
                                     "do not ask for reasons, which saves tokens"};

/// Sets the limits given on the line; the others stay. Returns a usage error for an
/// invalid one.
Result<void> read_limits(Session& session, const Arguments& arguments, agent::RunOptions& options);

/// Returns the models to call, in order: `models`, except those that `--model` and `--fallback`
/// replace.
std::vector<std::string> models_of(std::vector<std::string> models, const Arguments& arguments);

/// Adds the session's capture modes and its environment to `kept`, so that a resumed run never
/// records more.
Result<void> keep_capture(Session& session, ToolSettings& kept);

/// Opens the tools and models of a recorded run, and sets its options. `--model`, `--fallback`,
/// `--no-rationale` and the limits on the line replace the recorded ones.
Result<std::unique_ptr<AgentSetup>> open_recorded(Session& session, const std::string& run,
                                                  const Arguments& arguments,
                                                  agent::RunOptions& options, Use use = Use::live);

/// Shows a live run.
struct RunView {
  std::function<void(const agent::RunEvent&)> take;
  std::function<void()> finish;  ///< ends what is on the last line, before anything else is printed
};

/// Does `work`, a run with these options: its events go to `view`, its questions to `ask`, and
/// Ctrl-C ends it. `lock` already has the branch and takes the run.
Result<agent::PlanResult> run_live(AgentSetup& setup, RunLock& lock, agent::RunOptions& options,
                                   AskPerson& ask, const RunView& view,
                                   const std::function<Result<agent::PlanResult>()>& work);

/// Does `work`, a run with these options; shows its progress and its result. Ctrl-C ends it. `lock`
/// already has the branch and takes the run.
Result<void> run_shown(Session& session, AgentSetup& setup, RunLock& lock,
                       agent::RunOptions& options, bool as_json,
                       const std::function<Result<agent::PlanResult>()>& work);

}  // namespace spoor::cli
