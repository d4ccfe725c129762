#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/decision.h"
#include "agent/rationales.h"
#include "agent/record/left_out.h"
#include "agent/record/recording.h"
#include "agent/record/referee.h"
#include "agent/record/window.h"
#include "agent/session.h"
#include "agent/tool.h"
#include "llm/generate.h"

namespace spoor::agent::record {

/// The purpose for which a model is asked.
enum class Purpose { agent, plan, critic, answer, compact };
std::string_view name_of(Purpose purpose);

/// A model's answer, as planners read it.
struct AnswerContent {
  std::string text;
  std::string thinking;
  std::vector<compile::ToolCall> calls;
  llm::Outcome outcome = llm::Outcome::done;
};

/// The parts read from an answer that are recorded with it.
struct Reading {
  Rationales rationale;  ///< by the number of the call, from 1
  std::string action;    ///< the tool that a reply without native calls names; empty: none
  std::vector<Decision> decisions;
};
using ReadAnswer = std::function<Reading(const AnswerContent&)>;

/// Causes of an end that are an answer's outcome.
constexpr std::string_view kByRefusal = "refusal";
constexpr std::string_view kByFilter = "content_filter";
constexpr std::string_view kByTruncation = "truncated";

/// The action of an answer that has the last part of a plan, which the earlier answers begin.
constexpr std::string_view kPlanInParts = "plan";

/// The decision that ends a part of a run, such as an attempt under a critic.
constexpr std::string_view kPartEnded = "attempt-ended";

struct Question {
  Purpose purpose = Purpose::agent;
  std::int64_t step = 0;
  std::vector<llm::Candidate> candidates;  ///< the model to ask, then its fallbacks
  ReadAnswer read;                         ///< may be empty
  std::optional<std::int64_t> window;      ///< the last N turns; nullopt: the session's tokens
  std::optional<std::chrono::milliseconds> most_wait = {};  ///< llm::Request::most_wait
};

/// A complete answer, or the failure.
struct Answer {
  compile::Oid commit;
  AnswerContent content;
  Rationales rationale;
  bool is_recorded = false;             ///< read from the recording: the run is being replayed
  bool has_parts = false;               ///< `said.text` is that of several answers, this the last
  std::string lost_thinking;            ///< llm::describe_lost_thinking() of the request
  std::optional<llm::Failure> failure;  ///< the call failed; the rest is empty
};

/// An observation to be recorded.
struct Observed {
  std::int64_t step = 0;
  std::int64_t call = 0;  ///< its number in the answer or plan
  std::string tool;       ///< its id
  std::string call_id;    ///< of a native call; empty: recorded as a user turn
  std::string called_as;  ///< of a native call: the tool's name on the wire
  ToolResult result;
  llm::Spending spent = {};  ///< the cost that the tool itself booked
  compile::Oid commit;       ///< of a recorded one
};

/// The parts that a replay takes from each process of the run instead of comparing them with now.
struct AsRecorded {
  bool model = true;   ///< the model that answered
  bool limits = true;  ///< the places where parts of the run ended
};

/// The settings shared by all calls of a run.
struct RecorderPorts {
  llm::GenerateOptions generate;  ///< tracker, prices, hooks, stop, on_event, fallbacks
  AsRecorded as_recorded;         ///< for a replay
};

/// Writes a run into the graph as it happens. Where a recording exists, it returns the recorded
/// results instead: a planner run over a recording makes no call, runs no tool and writes nothing
/// until the recording ends, and then continues live. Resuming a run works this way.
///
/// Every call is one transaction and moves the run's own ref. Errors: those of reading and writing;
/// Code::conflict if the recording does not fit the request, because another planner wrote it. For
/// one thread.
class Recorder {
 public:
  struct Start {
    std::string goal;
    std::string planner;
    std::string options;                         ///< a JSON object, stored with the root
    std::string system;                          ///< the system prompt
    std::optional<CalledFrom> called_from = {};  ///< the call that began it; nullopt: a person
    std::optional<AttemptOf> attempt_of = {};
  };

  /// Begins a run on the session's branch: writes its root, the system prompt unless it is already
  /// in force, and the goal, pinned. An attempt writes its root only.
  static Result<std::unique_ptr<Recorder>> start(Session& session, const Start& start,
                                                 RecorderPorts ports);

  /// Continues a run that did not reach its goal. `options` are stored if they changed. Returns
  /// Code::conflict if the run achieved its goal, or if the session's branch no longer contains it.
  static Result<std::unique_ptr<Recorder>> resume(Session& session, Recording recording,
                                                  const ResumeOptions& how,
                                                  const std::string& options, RecorderPorts ports);

  /// Replays a run without calls, tools or writes. Differences from what the planner would do now
  /// are noted with `referee`, which must outlive the recorder. After the end of the recording
  /// every call returns over(). `system` is the current system prompt.
  static Result<std::unique_ptr<Recorder>> replay(Session& session, Recording recording,
                                                  const std::string& system, Referee& referee,
                                                  RecorderPorts ports);

  /// Begins a new run that continues after the recording's steps, on the session's branch, which
  /// begins where they end. `recording` must be cut with before_step().
  static Result<std::unique_ptr<Recorder>> fork(Session& session, Recording recording,
                                                std::int64_t from_step, const std::string& options,
                                                const std::string& system, RecorderPorts ports);

  const std::string& id() const { return id_; }

  /// True if the recorder only replays; see replay().
  bool only_looks() const { return referee_ != nullptr; }

  /// Returns the error of a replay that reached the end of its recording.
  Error over() const;

  /// True while recorded events remain.
  bool is_replaying() const { return !recording_.is_empty(); }

  /// Reports whether a limit may end the run or a part of it here. False while the recording
  /// continues, since it was run under its own limits; a replay without `as_recorded.limits` is
  /// under the current ones.
  bool heeds_limits() const { return !is_replaying() || is_under_new_limits(); }
  bool is_under_new_limits() const { return only_looks() && !ports_.as_recorded.limits; }

  /// Returns the facts of the recorded end of a part, if that is the next event.
  Result<std::optional<compile::Facts>> recorded_end_of_part();

  /// Asks the model at the end of the branch; for a critic, at the end of the run's critic chain.
  /// An answer that is cut off is recorded, and asked for again a few times. If the window is full,
  /// the same model is asked for a summary first, which replaces the turns (WhenFull::compact). If
  /// the provider finds the prompt too long, the window is smaller from there on, as a decision
  /// records.
  Result<Answer> ask(const Question& question);

  /// Returns the recorded observation of a call, if any. Each can be taken once.
  Result<std::optional<Observed>> recorded_observation(std::int64_t step, std::int64_t call);

  /// True if the planner ended or parked the run: a call without an observation never began.
  bool ended_in_order() const { return ended_in_order_; }

  /// Records the observation of a call, then its decisions. Returns the observation's commit.
  Result<compile::Oid> observe(const Observed& observed);

  /// Records a user turn that the planner writes: `nudge`, `critique`.
  Result<compile::Oid> say(std::int64_t step, std::string_view mark, std::string text);

  /// Records a user turn for the critic; before the first one, its system prompt.
  Result<compile::Oid> tell_critic(std::int64_t step, std::string_view system,
                                   std::string_view mark, std::string text);

  struct Decided {
    compile::Oid commit;
    bool is_recorded = false;
  };
  Result<Decided> decide(std::int64_t step, Decision decision);

  /// A person's answer to a call: `not_asked` until requested, then `waiting` until given.
  enum class Approval { not_asked, waiting, approved, denied };
  Approval approval(std::int64_t step, std::int64_t call) const;
  std::string reason(std::int64_t step, std::int64_t call) const;

  /// Records that a call of `tool` waits for a person's approval: its own if `what.subrun` is
  /// empty, else that of a call in the run it started.
  Result<compile::Oid> park(std::int64_t step, std::int64_t call, const std::string& tool,
                            const Unfinished& what);

  /// Returns how the run was resumed.
  const ResumeOptions& how() const { return how_; }

  /// Records a person's answer to a call that waits for approval.
  Result<void> answer(std::int64_t step, std::int64_t call, bool allows, const std::string& reason);

  struct End {
    std::optional<std::string> answer;
    std::string error;
    std::optional<Rationale> rationale;
  };

  /// Records the end of the run, as a commit of its last step.
  Result<compile::Oid> end(const End& end, compile::Facts facts);

  /// Returns the time of the run so far, without the time between its processes.
  std::chrono::microseconds elapsed() const;

  /// Returns the highest step number so far.
  std::int64_t last_step() const { return last_step_; }

  std::uint64_t observations() const { return observations_; }
  Session& session() { return session_; }

 private:
  Recorder(Session& session, RecorderPorts ports);

  Result<void> go_on(std::vector<compile::Turn> turns,
                     const std::optional<Recording::Event>& unreadable,
                     const std::vector<llm::OpenRequest>& lost);
  Result<void> close_left_open(graph::Draft& draft, const std::string& ref,
                               const compile::Oid& tip) const;
  Result<std::optional<compile::Oid>> tell_system(graph::Draft& draft, const std::string& ref,
                                                  const compile::Prompt& shown,
                                                  const std::string& system) const;
  Result<compile::Oid> restore(graph::Draft& draft, const std::string& ref,
                               const std::optional<compile::Oid>& before, compile::Oid last);
  Result<compile::Oid> append(std::vector<compile::Turn> turns);
  Result<void> book(const compile::Oid& answer);
  Result<void> book_paid(const Recording& recording);
  void go_on_from(const AttemptOf& attempt) {
    observations_ = static_cast<std::uint64_t>(attempt.observations);
  }
  void mark(compile::Facts& facts, std::int64_t step) const;
  compile::Facts facts(std::int64_t step) const;
  Result<std::optional<Recording::Event>> next(bool is_critic, Recording::Event::Kind kind);
  // A summary that was asked for, and its answers: a second one if the first called a tool.
  struct OpenSummary {
    std::optional<compile::Oid> asked;
    std::vector<compile::Oid> answers;
  };
  Result<OpenSummary> take_room(const Question& question);
  Result<std::optional<llm::Failure>> make_room(const Question& question, OpenSummary& open);
  Result<bool> use_summary(std::int64_t step, const OpenSummary& open);
  Result<void> hide_from(const compile::Oid& first);
  Result<bool> shrink_window(std::int64_t step);
  Result<Answer> ask_until_whole(const Question& question, graph::Branch& branch);
  Result<Answer> ask_once(const Question& question, graph::Branch& branch);
  Result<llm::GenerateOptions> options_for(const Question& question, const compile::Oid& at) const;
  Result<Answer> recorded_answer(const Recording::Event& recorded, const Question& question);
  Result<void> judge(const Recording::Event& recorded, const Question& question,
                     const Answer& answer);
  Result<compile::Oid> recorded_saying(const Recording::Event& recorded, std::int64_t step,
                                       std::string_view mark, std::string_view text);
  Result<void> judge_reading(const Recording::Event& recorded, const compile::Turn& turn,
                             const Question& question, const Answer& answer);
  Result<void> check_head(graph::Draft& draft) const;
  Result<void> check_own(graph::Draft& draft, const std::string& branch) const;
  llm::ReplyAdditions additions(const Question& question, const llm::Reply& reply,
                                const compile::Prompt& prompt, Answer& answer);
  std::vector<Decision> curation(const compile::Prompt& prompt);
  Result<compile::Oid> record_failed_call(const Question& question, compile::Turn failed,
                                          const llm::PutPrompt& put);
  Result<void> learn_left_out(const Question& question);

  Session& session_;
  RecorderPorts ports_;
  Window window_;
  std::string id_;
  Referee* referee_ = nullptr;
  mutable bool is_over_ = false;  // A replay reached the end of its recording.
  Recording recording_;
  std::optional<compile::Oid> last_;  // The run's newest commit; its ref must point there.
  std::int64_t last_step_ = 0;
  bool ended_in_order_ = false;
  ResumeOptions how_;
  std::uint64_t observations_ = 0;
  std::optional<LeftOut> left_out_;   // Of the last prompt.
  bool was_refused_summary_ = false;  // The model gave none: this process asks for no other.
  std::optional<compile::Oid> last_answer_;
  std::chrono::microseconds before_{0};  // The time of earlier processes.
  Timestamp started_;                    // The start of this process.
  bool critic_was_told_ = false;
};

}  // namespace spoor::agent::record
