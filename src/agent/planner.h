#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/budget.h"
#include "agent/catalogue.h"
#include "agent/own_planner.h"
#include "agent/record/recorder.h"
#include "agent/record/recording.h"
#include "agent/record/referee.h"
#include "agent/session.h"
#include "agent/tool.h"
#include "llm/generate.h"

namespace spoor::agent {

/// A method of working towards a goal.
enum class Strategy {
  react,             ///< think, act, observe, again (Yao et al. 2022, arxiv.org/abs/2210.03629)
  plan_and_execute,  ///< one plan first, a new one when a step fails (Wang et al., 2305.04091)
  reflexion,         ///< react, judged by a critic, tried again (Shinn et al., 2303.11366)
};
std::string_view name_of(Strategy strategy);
std::optional<Strategy> strategy_from(std::string_view name);

/// How a model names the tool that it wants.
enum class Calling {
  automatic,  ///< native if the provider supports it
  native,     ///< the provider's own calls; an answer without a call is the last
  json,       ///< one fenced JSON object `{thought, action, action_input[, final_answer]}`
  text,       ///< calls written into the text (reading/text_calls.h); an answer without one is last
};
std::string_view name_of(Calling calling);
std::optional<Calling> calling_from(std::string_view name);

/// An event of a running run. `text` is borrowed for the call.
struct RunEvent {
  enum class Kind {
    started,   ///< `run` is known
    asking,    ///< a model is about to be called: `text` is the purpose (record::name_of)
    said,      ///< more of the answer
    thought,   ///< more of the reasoning
    waiting,   ///< a call is retried: `text` is the reason
    calling,   ///< a tool is about to run: `tool`, `arguments`
    printing,  ///< more of what the running `tool` prints; from its thread, one at a time
    observed,  ///< the result is `text`, or an error: `tool`, `arguments`
    warning,   ///< a warning for people
    ended,     ///< `text` is the name of Stopped
  };
  Kind kind = Kind::started;
  std::int64_t step = 0;
  std::string_view run;
  std::string_view agent;  ///< the called agent whose event it is, `A/B` if A called B; empty: none
  std::string_view tool;
  std::string_view arguments;
  std::string_view text;
  bool is_error = false;
  bool is_recorded = false;  ///< a replayed event of an earlier process
};
/// Returns the event's name for programs: `started`, `asking`, `text`, `thinking`, `waiting`,
/// `call`, `output`, `result`, `warning`, `ended`.
std::string_view name_of(RunEvent::Kind kind);

/// Checks a call before it runs. A port; called on the run's thread.
///
/// A refusal becomes the call's observation, and a decision `blocked` is committed with it. Both
/// are part of the record: a resumed run uses the recorded refusal.
class Gate {
 public:
  virtual ~Gate() = default;

  struct Verdict {
    bool allows = true;
    std::string why;   ///< of a refusal; shown to the model
    std::string rule;  ///< the id of the refusing rule, such as `scope.denied-path`; may be empty
  };
  virtual Verdict before(const Tool& tool, std::string_view arguments) = 0;

  /// Called when the call that before() refused has been recorded as `commit`: once for each
  /// refusal, in the process that refused it. An error ends the run.
  virtual Result<void> refused(const compile::Oid& commit) {
    (void)commit;
    return {};
  }

  /// Called with the result of each call that was not refused, in the order of the record,
  /// including the calls of earlier processes.
  virtual void after(std::string_view tool, std::string_view arguments, const ToolResult& result) {
    (void)tool, (void)arguments, (void)result;
  }
};

/// The version of the planners' own ways: what they tell a model, and when they ask it again. A run
/// is recorded with it, and resumed and replayed by it. Version 1: the steps of a plan cannot refer
/// to results, a new plan is not told what is done, and a JSON answer that reached its limit is
/// asked for anew. Version 2: a second text with the marks of a call, and a text that broke off,
/// are the answer; the first part of a paused answer is lost.
constexpr std::int64_t kPlannerVersion = 3;

struct PlanResult;

struct RunOptions {
  const Registry* registry = nullptr;  ///< the available tools; null: none
  ToolSelection tools;
  ToolFilter tool_filter;

  std::int64_t max_steps = 10;
  std::int64_t max_replans = 3;           ///< plan_and_execute
  std::int64_t max_outer_iterations = 3;  ///< reflexion
  bool synthesize = false;  ///< plan_and_execute: ask for the answer when the steps are done, even
                            ///< if the plan has one
  Budget budget;            ///< of this run only

  Calling calling = Calling::automatic;
  std::int64_t max_tokens_per_call = 0;  ///< of an answer; 0: as many as the model can write
  std::string temperature;               ///< a JSON number; empty: the provider's own
  std::string effort;                    ///< llm::Params::effort; empty: the model's own
  std::int64_t nudges_per_step = 1;      ///< how often a model is asked for a readable answer again
  bool rationale = true;                 ///< ask the model for the reason of each call
  bool strict_refs = false;              ///< refuse a call whose reasons cite unknown things
  std::string instructions;              ///< the caller's own, added after the system prompt
  std::int64_t planner_version = kPlannerVersion;  ///< lower only for runs that were recorded so

  /// Shared by everything that spends; null: the run makes one.
  llm::CostTracker* tracker = nullptr;
  const llm::PriceList* prices = nullptr;
  llm::LearnedParams* learned = nullptr;  ///< as in GenerateOptions
  const llm::Hooks* hooks = nullptr;
  std::vector<llm::Candidate> fallbacks;
  bool stream = true;
  Gate* gate = nullptr;
  /// Asks a person about a call of a tool that needs approval, on the run's thread. Nullopt, or no
  /// function: no person is there, so the run stops and waits (ResumeOptions::approval).
  std::function<std::optional<PersonsAnswer>(const Tool& tool, std::string_view arguments)> person;
  std::function<void(const RunEvent&)> on_event;
  /// The planner of a program's own that a run to be resumed or replayed was begun with; must
  /// outlive the run. Null: a built-in one.
  Planner* planner = nullptr;
  /// Ends the run when it returns a Stop. Asked at each boundary that was not recorded before, with
  /// the steps so far.
  std::function<std::optional<Stop>(const PlanResult& so_far)> until;
  std::stop_token stop;  ///< ends the run at the next boundary, and running calls at once

  std::optional<CalledFrom> called_from;  ///< for a subagent's run: recorded in its root

  std::optional<AttemptOf> attempt_of;  ///< for an attempt: recorded in its root

  std::string keep;  ///< a JSON object of the caller's, kept with the run's options as `caller`
};

/// One step: an action and its result.
struct PlanStep {
  std::string thought;
  std::string action;                      ///< a tool's id, or `finish`
  std::string action_input;                ///< JSON
  std::optional<std::string> observation;  ///< JSON; nullopt for `finish`
  bool is_error = false;
  bool is_unverified = false;  ///< the process ended while the tool ran
  bool was_stopped = false;    ///< a person stopped the run while the tool ran
  compile::Oid commit;         ///< the step's last commit: compile there to see what was known then
};

/// A critic's verdict on an answer.
struct Critique {
  bool accepts = false;
  std::string critique;
  compile::Oid commit;
};

/// The best that a run has that did not achieve its goal: an answer that a critic judged or was
/// about to judge; else the last check that went well, if nothing was changed after it; else what a
/// tool gave last that is neither an error nor null.
struct Best {
  enum class Verified {
    check,     ///< a command or a run of tests that ended well
    tool,      ///< a tool gave it
    rejected,  ///< an answer that the critic sent back
    nobody,    ///< an answer that nobody has judged
  };
  std::string text;
  Verified verified = Verified::nobody;
  std::string how;  ///< for people: `run_command in step 4, exit code 0`
  std::int64_t step = 0;
  compile::Oid commit;
};
std::string_view name_of(Best::Verified verified);

/// The result of a run.
struct PlanResult {
  std::optional<std::string> answer;
  std::vector<PlanStep> steps;
  Stopped stopped = Stopped::error;
  std::optional<std::string> error;     ///< only if `stopped` is error or refused
  Strategy strategy = Strategy::react;  ///< of a built-in planner
  std::string planner;                  ///< its name, or that of a planner of one's own
  std::optional<Best> best;            ///< nullopt if the goal was achieved, or if there is nothing
  std::optional<Rationale> rationale;  ///< of a Stop
  std::string run;                     ///< its id
  std::vector<compile::Oid> plans;     ///< the answers with a readable plan
  std::vector<Critique> critiques;
  std::vector<std::string> warnings;
  llm::Spending spent;     ///< of this run
  std::int64_t turns = 0;  ///< number of steps: an answer with several calls counts once
  std::string by;          ///< the cause of the end: `final_answer`, `critic`, `provider`,
                           ///< `malformed`, …
  std::string waits_for;   ///< the tool whose call waits for approval, `AGENT: TOOL` if a called
                           ///< agent wants to make it; empty: none
  std::string waits_with;  ///< that call's arguments, JSON
};

/// Works towards `goal` on the session's branch and records every step there. An error of the model
/// or of a tool ends the run with a result. Returns Code::invalid for unusable options, before any
/// call, and errors of the store.
Result<PlanResult> run(Strategy strategy, std::string_view goal, const llm::Candidate& llm,
                       Session& session, const RunOptions& options);

/// As run(), with a planner of the caller's own. Returns Code::invalid if its name cannot be one.
Result<PlanResult> run(Planner& planner, std::string_view goal, const llm::Candidate& llm,
                       Session& session, const RunOptions& options);

/// As run(), with the strategy in the name.
Result<PlanResult> react(std::string_view goal, const llm::Candidate& llm, Session& session,
                         const RunOptions& options);
Result<PlanResult> plan_and_execute(std::string_view goal, const llm::Candidate& llm,
                                    Session& session, const RunOptions& options);
Result<PlanResult> reflexion(std::string_view goal, const llm::Candidate& llm, Session& session,
                             const RunOptions& options);

/// Resumes a run that was interrupted, whose process ended, that reached a limit, ended with an
/// error, or waits for approval. Recorded calls are replayed without a model or a tool. A call
/// without a recorded result is not run again, unless its tool only reads or continues by its own
/// record, or `how.again` is set; its result is kUnverified. An approval also answers the call of
/// an agent that this run called.
///
/// `options.tools` and `options.calling` must be those of the run (read_options); limits may
/// differ. Returns Code::conflict if the run achieved its goal, or its branch no longer contains
/// it.
Result<PlanResult> resume(std::string_view run, const llm::Candidate& llm, Session& session,
                          const RunOptions& options, const ResumeOptions& how);

/// The result of a replay.
struct ReplayResult {
  PlanResult result;                            ///< as the planner ends the run now
  std::vector<record::Divergence> divergences;  ///< empty: the recording and the planner agree
  bool is_whole = false;                        ///< the replay reached the run's end
};

/// Replays a run with its recorded answers and observations. Calls no model, runs no tool, writes
/// nothing. Compares the system prompt, each request byte for byte, the reasons and decisions read
/// from each answer, the planner's own turns, and the end.
///
/// `llm` and `options` are the current ones; compare them with the run's own (read_options). Each
/// process of the run is replayed with its own model and limits, unless `as_recorded` disables
/// that.
Result<ReplayResult> replay(std::string_view run, const llm::Candidate& llm, Session& session,
                            const RunOptions& options, record::AsRecorded as_recorded = {});

/// Copies a run's steps before `from_step`, then continues live as a new run on the session's
/// branch. That branch must not exist yet; it begins where these steps end.
Result<PlanResult> replay_from(std::string_view run, std::int64_t from_step,
                               const llm::Candidate& llm, Session& session,
                               const RunOptions& options);

/// Returns the options recorded with a run of this planner: a JSON object (docs/agents.md). Its
/// tools are the ids of `catalogue`.
std::string write_options(std::string_view planner, const llm::Candidate& llm,
                          const Session& session, const Catalogue& catalogue,
                          const RunOptions& options);

/// Reads recorded options into `options`; its tools become the ids. Returns Code::corrupt if they
/// are malformed.
Result<void> read_options(std::string_view json, RunOptions& options);

/// Returns the models in recorded options as `provider/model`: at least one, followed by its
/// fallbacks. Returns Code::corrupt if there are none.
Result<std::vector<std::string>> models_of(std::string_view json);

/// Returns the session options that a run was started with.
Result<Session::Options> session_options_of(const record::Header& header);

}  // namespace spoor::agent
