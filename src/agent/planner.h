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
#include "agent/record/recorder.h"
#include "agent/record/recording.h"
#include "agent/record/referee.h"
#include "agent/session.h"
#include "agent/tool.h"
#include "llm/generate.h"

namespace spoor::agent {

/// How a goal is worked towards.
enum class Strategy {
  react,             ///< think, act, observe, again (Yao et al. 2022, arxiv.org/abs/2210.03629)
  plan_and_execute,  ///< one plan first, a new one when a step fails (Wang et al., 2305.04091)
  reflexion,         ///< react, judged by a critic, tried again (Shinn et al., 2303.11366)
};
std::string_view name_of(Strategy strategy);
std::optional<Strategy> strategy_from(std::string_view name);

/// How a model says which tool it wants.
enum class Calling {
  automatic,  ///< native where the provider has it
  native,     ///< the provider's own calls; an answer without one is the last
  json,       ///< one fenced JSON object `{thought, action, action_input[, final_answer]}`
  text,       ///< calls written into the text (reading/text_calls.h); an answer without one is last
};
std::string_view name_of(Calling calling);
std::optional<Calling> calling_from(std::string_view name);

/// What happens while a run goes on. `text` is borrowed for the call.
struct RunEvent {
  enum class Kind {
    started,   ///< `run` is known
    asking,    ///< a model is about to be asked: `text` is its purpose (agent, plan, critic)
    said,      ///< more of the answer
    thought,   ///< more of the reasoning
    waiting,   ///< a call is tried again: `text` says why
    calling,   ///< a tool is about to run: `tool`, `arguments`
    observed,  ///< it gave `text`, or failed: `tool`, `arguments`
    warning,   ///< something for people
    ended,     ///< `text` is the word of Stopped
  };
  Kind kind = Kind::started;
  std::int64_t step = 0;
  std::string_view run;
  std::string_view tool;
  std::string_view arguments;
  std::string_view text;
  bool is_error = false;
  bool is_recorded = false;  ///< it happened in an earlier process, and is gone through again
};

/// Looks at a call before it runs. A port; asked on the thread of the run.
///
/// A refusal is the observation of the call, and a decision `blocked` beside it. It is part of the
/// record: a run that goes on takes it as it was.
class Gate {
 public:
  virtual ~Gate() = default;

  struct Verdict {
    bool allows = true;
    std::string why;   ///< of a refusal: the model is told
    std::string rule;  ///< the id of what refuses, such as `scope.denied-path`; may be empty
  };
  virtual Verdict before(const Tool& tool, std::string_view arguments) = 0;

  /// The call that before() has just refused is recorded, as `commit`. Once for each, in the
  /// process that refused it. An error ends the run.
  virtual Result<void> refused(const compile::Oid& commit) {
    (void)commit;
    return {};
  }

  /// A call that was not refused came to this: told of each, in the order of the record, of those
  /// of an earlier process too.
  virtual void after(std::string_view tool, std::string_view arguments, const ToolResult& result) {
    (void)tool, (void)arguments, (void)result;
  }
};

struct RunOptions {
  const Registry* registry = nullptr;  ///< the tools that there are; null: none
  ToolSelection tools;
  ToolFilter tool_filter;

  std::int64_t max_steps = 10;
  std::int64_t max_replans = 3;           ///< plan_and_execute
  std::int64_t max_outer_iterations = 3;  ///< reflexion
  Budget budget;                          ///< of this run alone

  Calling calling = Calling::automatic;
  std::int64_t max_tokens_per_call = 1'024;
  std::string temperature = "0";  ///< a JSON number; empty: the provider's own
  bool rationale = true;          ///< ask the model why, for each call
  bool strict_refs = false;       ///< refuse a call whose reasons cite what is not there
  std::string instructions;       ///< the caller's own, behind the system prompt

  /// Shared by everything that spends; null: one of the run's own.
  llm::CostTracker* tracker = nullptr;
  const llm::PriceList* prices = nullptr;
  const llm::Hooks* hooks = nullptr;
  std::vector<llm::Candidate> fallbacks;
  bool stream = true;
  Gate* gate = nullptr;
  std::function<void(const RunEvent&)> on_event;
  std::stop_token stop;  ///< ends the run at the next boundary, and what runs before it

  std::optional<CalledFrom> called_from;  ///< of a subagent's run: its root says so

  std::string keep;  ///< the caller's own, a JSON object, kept with the run's options as `caller`
};

/// One step: what was done, and what came of it.
struct PlanStep {
  std::string thought;
  std::string action;                      ///< a tool's id, or `finish`
  std::string action_input;                ///< JSON
  std::optional<std::string> observation;  ///< JSON; nothing for `finish`
  bool is_error = false;
  compile::Oid commit;  ///< where the step ended: compile there to see what was known then
};

/// What a critic said of an answer.
struct Critique {
  bool accepts = false;
  std::string critique;
  compile::Oid commit;
};

/// How a run ended.
struct PlanResult {
  std::optional<std::string> answer;
  std::vector<PlanStep> steps;
  Stopped stopped = Stopped::error;
  std::optional<std::string> error;  ///< only where `stopped` is error
  Strategy strategy = Strategy::react;
  std::string run;                  ///< its id
  std::vector<compile::Oid> plans;  ///< the answers that held a plan that could be read
  std::vector<Critique> critiques;
  std::vector<std::string> warnings;
  llm::Spending spent;     ///< of this run
  std::int64_t turns = 0;  ///< as steps are numbered: an answer with several calls is one
  std::string by;         ///< what ended it: `final_answer`, `critic`, `provider`, `malformed`, …
  std::string waits_for;  ///< the tool whose call waits for approval; empty: none
  std::string waits_with;  ///< its arguments, JSON

  /// The last observation that is no error, as JSON; nothing when there is none.
  std::optional<std::string> best_so_far() const;
};

/// Works towards `goal` on the session's branch, and writes all of it there: no step is taken that
/// is not recorded. Whatever the model or a tool does ends as a result; Code::invalid for options
/// that make no sense, before anything is asked, and errors of the store.
Result<PlanResult> run(Strategy strategy, std::string_view goal, const llm::Candidate& llm,
                       Session& session, const RunOptions& options);

/// The same with one word for the strategy.
Result<PlanResult> react(std::string_view goal, const llm::Candidate& llm, Session& session,
                         const RunOptions& options);
Result<PlanResult> plan_and_execute(std::string_view goal, const llm::Candidate& llm,
                                    Session& session, const RunOptions& options);
Result<PlanResult> reflexion(std::string_view goal, const llm::Candidate& llm, Session& session,
                             const RunOptions& options);

/// How a run that stopped goes on.
struct ResumeOptions {
  std::optional<bool> approval;  ///< of the calls that wait for one
  std::string reason;            ///< the person's words; may be empty
};

/// Goes on with a run whose process ended, which was interrupted, ran out of something or into an
/// error, or waits for approval. What is recorded is gone through again without a call or a tool;
/// a call of which no result is recorded gets one that says so (kUnverified), and is not run again.
/// Of `options`, tools and calling must be those of the run (read_options); limits may be new.
/// Code::conflict when the run achieved its goal, or its branch does not hold it any more.
Result<PlanResult> resume(std::string_view run, const llm::Candidate& llm, Session& session,
                          const RunOptions& options, const ResumeOptions& how);

/// What going through a run again found.
struct ReplayResult {
  PlanResult result;                            ///< as the planner comes to it now
  std::vector<record::Divergence> divergences;  ///< empty: the recording and the planner agree
  bool is_whole = false;                        ///< it went through to the run's end
};

/// Goes through a run with its recorded answers and observations; no model is called, no tool runs,
/// nothing is written. Compared are the system prompt, each request byte for byte, the reasons and
/// decisions that are read out of each answer, what the planner says, and the end. `llm` and
/// `options` are how it would be run now; those of the run itself (read_options) show whether it is
/// still what it was.
/// Each process of the run is taken with its own model and limits, unless `as_recorded` says no.
Result<ReplayResult> replay(std::string_view run, const llm::Candidate& llm, Session& session,
                            const RunOptions& options, record::AsRecorded as_recorded = {});

/// Takes a run's steps before `from_step` as they were, and goes on live: another run, on the
/// session's branch, which must not be there yet and begins where these steps end.
Result<PlanResult> replay_from(std::string_view run, std::int64_t from_step,
                               const llm::Candidate& llm, Session& session,
                               const RunOptions& options);

/// What a run keeps of its options: a JSON object (docs/agents.md). The tools are the ids of
/// `catalogue`.
std::string write_options(Strategy strategy, const llm::Candidate& llm, const Session& session,
                          const Catalogue& catalogue, const RunOptions& options);

/// Reads them back into `options`, the ids as its tools. Code::corrupt when malformed.
Result<void> read_options(std::string_view json, RunOptions& options);

/// The models that they name, as `provider/model`, in the order they are asked: one at least, and
/// its fallbacks. Code::corrupt when they name none.
Result<std::vector<std::string>> models_of(std::string_view json);

/// The session's own options of a run.
Result<Session::Options> session_options_of(const record::Header& header);

}  // namespace spoor::agent
