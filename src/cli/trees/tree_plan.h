#pragma once

#include <string>
#include <vector>

#include "attempts/tree.h"
#include "cli/command.h"
#include "cli/session.h"

// Options and functions shared by the commands that run trees of attempts.
namespace spoor::cli {

using store::Oid;

inline constexpr Option kAnswers{.name = "--tools",
                                 .value = "HOW",
                                 .help = "how calls are answered (default: recorded)",
                                 .takes = Takes::choice,
                                 .choices = "recorded|live|deny"};
inline constexpr Option kLiveTools{"--live-tools", "LIST",
                                   "with --tools live: the tools (default: those of the run)"};
inline constexpr Option kAttempts{"--n", "N", "this many attempts of each model", 0,
                                  Takes::positive};
inline constexpr Option kTreeCost{"--max-cost", "DOLLARS",
                                  "stop when all attempts have spent this"};
inline constexpr Option kTreeTokens{
    "--max-tokens", "N", "stop when all attempts have used this many tokens", 0, Takes::number};
inline constexpr Option kTreeSteps{
    "--max-steps", "N", "stop when all attempts have made this many turns", 0, Takes::number};
inline constexpr Option kAttemptSteps{
    "--attempt-steps", "N", "at most N turns of one attempt (default: 10)", 0, Takes::positive};
inline constexpr Option kParallel{"--parallel", "N", "run N attempts at a time (default: 1)", 0,
                                  Takes::positive};
inline constexpr Option kTest{"--test", "COMMAND",
                              "an attempt passes if this shell command exits with 0"};
inline constexpr Option kExpect{"--expect", "TEXT", "an attempt passes if its answer has this"};
inline constexpr Option kJudgeModel{"--judge", "PROVIDER/MODEL",
                                    "let this model judge the answers by --rubric"};
inline constexpr Option kRubric{"--rubric", "TEXT", "for --judge: what a correct answer is"};

inline std::size_t parallel_of(const Arguments& arguments) {
  return static_cast<std::size_t>(arguments.number("--parallel", 1));
}

/// Returns the limits that the line gives, else those of `kept`. Returns a usage error for a wrong
/// amount.
Result<attempts::Limits> read_tree_limits(Session& session, const Arguments& arguments,
                                          attempts::Limits kept = {});

/// Returns the expectation that the line gives, with --constraint and --constraints. Returns a
/// usage error for a judge without a rubric.
Result<attempts::Expectation> read_expectation_flags(Session& session, const Arguments& arguments);

/// Returns the base of a fork: the commit, or, if it is an answer and another is wanted, its
/// parent.
Result<Oid> fork_base(const Workspace& workspace, const Oid& commit, bool asks);

/// Returns the base of a tree at `commit`: as fork_base(), and of reasoning the commit before it.
Result<Oid> tree_base(const Workspace& workspace, const Oid& commit);

/// Returns Code::conflict, with a hint, if a tree at `commit` could not begin: a call before it has
/// no result there. Reads the whole history of the commit.
Result<void> check_base(const Workspace& workspace, const Oid& commit);

/// Returns the plan of a tree at `base`, without changes, expectation and data set: models, count,
/// tools and the agent's options from the line and, if a run wrote the base, from the run. Returns
/// Code::conflict if calls before `base` have no result there.
Result<attempts::Plan> make_plan(Session& session, const Arguments& arguments,
                                 const std::vector<std::string>& models, const Oid& base);

/// Returns the models of the line, each once, else the setting `model`.
Result<std::vector<std::string>> tree_models(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
