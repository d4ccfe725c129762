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
#include "agent/record/recording.h"
#include "agent/record/referee.h"
#include "agent/session.h"
#include "agent/tool.h"
#include "llm/generate.h"

namespace spoor::agent::record {

/// What a model is asked for.
enum class Purpose { agent, plan, critic };
std::string_view name_of(Purpose purpose);

/// What a model said, as planners read it.
struct Said {
  std::string text;
  std::string thinking;
  std::vector<compile::ToolCall> calls;
  bool is_cut_short = false;  ///< it came to the end of what an answer may have, not to its own
};

/// What is recorded with an answer, read out of it.
struct Reading {
  Rationales rationale;  ///< by the number of the call, from 1
  std::string action;    ///< the tool that a reply without native calls names; empty: none
  std::vector<Decision> decisions;
};
using ReadAnswer = std::function<Reading(const Said&)>;

/// The decision by which a part of a run ends, such as an attempt under a critic.
constexpr std::string_view kPartEnded = "attempt-ended";

struct Question {
  Purpose purpose = Purpose::agent;
  std::int64_t step = 0;
  std::vector<llm::Candidate> candidates;  ///< who is asked, and who when that fails
  ReadAnswer read;                         ///< may be empty
  std::optional<std::int64_t> window;  ///< the last so many turns; nothing: the session's tokens
};

/// A whole answer, or why there is none.
struct Answer {
  compile::Oid commit;
  Said said;
  Rationales rationale;
  bool is_recorded = false;  ///< it was there already: the run is being gone through again
  std::optional<llm::Failure> failure;  ///< the call came to nothing; the rest is empty then
};

/// An observation on its way into the graph.
struct Observed {
  std::int64_t step = 0;
  std::int64_t call = 0;  ///< its number in the answer, or in the plan
  std::string tool;       ///< its id
  std::string call_id;    ///< of a native call; empty: a user's turn says it
  std::string called_as;  ///< of a native call: the tool's name on the wire
  ToolResult result;
  llm::Spending spent = {};  ///< what the tool itself booked
  compile::Oid commit;       ///< of one that was recorded
};

/// What a replay takes as it was, in each of the run's processes, and does not compare with now.
struct AsRecorded {
  bool model = true;   ///< whose answers they are
  bool limits = true;  ///< where parts of the run ended
};

/// What all calls of a run share.
struct RecorderPorts {
  llm::GenerateOptions generate;  ///< tracker, prices, hooks, stop, on_event, fallbacks
  AsRecorded as_recorded;         ///< of a replay
};

/// Writes a run into the graph as it happens, and takes what is there already instead of doing it
/// again: a planner that is run over a recording goes through it without a call, a tool or a write,
/// and goes on from its end. That is all that resuming is.
///
/// Every call is one transaction, and moves the run's own ref. Errors: those of reading and
/// writing; Code::conflict when the recording does not fit what is asked of it, because the planner
/// is another one than wrote it. For one thread.
class Recorder {
 public:
  struct Start {
    std::string goal;
    std::string planner;
    std::string options;                         ///< a JSON object, kept with the root
    std::string system;                          ///< the system prompt
    std::optional<CalledFrom> called_from = {};  ///< the call that began it; nothing: a person
  };

  /// Begins a run on the session's branch: its root, the system prompt where another one is in
  /// force, and the goal, pinned.
  static Result<std::unique_ptr<Recorder>> start(Session& session, const Start& start,
                                                 RecorderPorts ports);

  /// Goes on with a run that ended without its goal, or did not end. `approval` answers the calls
  /// that wait for one; `options` are kept where they are others than before. Code::conflict when
  /// the run achieved its goal, or the session's branch does not hold it any more.
  static Result<std::unique_ptr<Recorder>> resume(Session& session, Recording recording,
                                                  std::optional<bool> approval,
                                                  const std::string& reason,
                                                  const std::string& options, RecorderPorts ports);

  /// Goes through a run and does nothing: no call, no tool, no write. What the planner would do
  /// otherwise now is noted with `referee`, which must outlive this. Where the recording ends,
  /// every call is over(). `system` is the prompt that it would be told now.
  static Result<std::unique_ptr<Recorder>> replay(Session& session, Recording recording,
                                                  const std::string& system, Referee& referee,
                                                  RecorderPorts ports);

  /// Another run, that has the recording's steps before it and goes on from there on the session's
  /// branch, which begins where they end. `recording` is cut (before_step).
  static Result<std::unique_ptr<Recorder>> fork(Session& session, Recording recording,
                                                std::int64_t from_step, const std::string& options,
                                                const std::string& system, RecorderPorts ports);

  const std::string& id() const { return id_; }

  /// Does nothing but look; see replay().
  bool only_looks() const { return referee_ != nullptr; }

  /// The answer of a replay to what the recording does not hold.
  Error over() const;

  /// Is there still something recorded that was not taken?
  bool is_replaying() const { return !recording_.is_empty(); }

  /// May a limit end the run, or a part of it, here? Not where the recording goes on: it was run
  /// under the limits of its time. A replay is under those of now where it is told so.
  bool heeds_limits() const { return !is_replaying() || is_under_new_limits(); }
  bool is_under_new_limits() const { return only_looks() && !ports_.as_recorded.limits; }

  /// How a part of the run ended here, by its facts, where that is what comes next.
  Result<std::optional<compile::Facts>> recorded_end_of_part();

  /// Asks the model at the end of the branch; for a critic, of the run's own chain.
  Result<Answer> ask(const Question& question);

  /// The recorded observation of a call, if there is one. What is taken is not there again.
  Result<std::optional<Observed>> recorded_observation(std::int64_t step, std::int64_t call);

  /// Was the run ended in order, so that a call without an observation was never begun?
  bool ended_in_order() const { return ended_in_order_; }

  /// Records what a call gave, and behind it the decisions that came with that. Gives the commit of
  /// the observation.
  Result<compile::Oid> observe(const Observed& observed);

  /// A turn of the user's that the planner writes: `nudge`, `critique`.
  Result<compile::Oid> say(std::int64_t step, std::string_view mark, std::string text);

  /// What the critic is told: the system prompt once, then a turn of the user's.
  Result<compile::Oid> tell_critic(std::int64_t step, std::string_view system,
                                   std::string_view mark, std::string text);

  struct Decided {
    compile::Oid commit;
    bool is_recorded = false;
  };
  Result<Decided> decide(std::int64_t step, Decision decision);

  /// What a person said to a call: nothing when it was never asked, `waiting` until it is answered.
  enum class Approval { not_asked, waiting, approved, denied };
  Approval approval(std::int64_t step, std::int64_t call) const;
  std::string reason(std::int64_t step, std::int64_t call) const;

  /// Records that a call waits for a person, and whose.
  Result<compile::Oid> park(std::int64_t step, std::int64_t call, std::string tool);

  /// The end of the run, as a commit of its last step.
  Result<compile::Oid> end(const std::optional<std::string>& answer, const std::string& error,
                           compile::Facts facts);

  /// Time of the run so far; what passed between its processes does not count.
  std::chrono::microseconds elapsed() const;

  /// The highest number of a step so far.
  std::int64_t last_step() const { return last_step_; }

  std::uint64_t observations() const { return observations_; }
  Session& session() { return session_; }

 private:
  Recorder(Session& session, RecorderPorts ports);

  Result<void> go_on(std::vector<compile::Turn> turns,
                     const std::optional<Recording::Event>& unreadable,
                     const std::vector<llm::OpenRequest>& lost);
  Result<std::optional<compile::Oid>> tell_system(graph::Draft& draft, const std::string& ref,
                                                  const compile::Prompt& shown,
                                                  const std::string& system) const;
  Result<compile::Oid> restore(graph::Draft& draft, const std::string& ref,
                               const std::optional<compile::Oid>& before, compile::Oid last);
  Result<compile::Oid> append(std::vector<compile::Turn> turns);
  Result<void> book(const compile::Oid& answer);
  Result<void> book_paid(const Recording& recording);
  void mark(compile::Facts& facts, std::int64_t step) const;
  compile::Facts facts(std::int64_t step) const;
  Result<std::optional<Recording::Event>> next(bool is_critic, Recording::Event::Kind kind);
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
  llm::Beside beside(const Question& question, const llm::Reply& reply,
                     const compile::Prompt& prompt, Answer& answer);
  std::vector<Decision> curation(const compile::Prompt& prompt);
  Result<compile::Oid> record_failed_call(const Question& question, compile::Turn failed,
                                          const llm::PutPrompt& put);
  Result<void> learn_left_out(const Question& question);

  Session& session_;
  RecorderPorts ports_;
  std::string id_;
  Referee* referee_ = nullptr;
  mutable bool is_over_ = false;  // A replay came to the end of its recording.
  Recording recording_;
  std::optional<compile::Oid> last_;  // The run's newest commit: its ref must be there.
  std::int64_t last_step_ = 0;
  bool ended_in_order_ = false;
  std::uint64_t observations_ = 0;
  std::optional<std::vector<compile::Oid>> left_out_;  // Of the last prompt, in its order.
  std::optional<compile::Oid> last_answer_;
  std::chrono::microseconds before_{0};  // Of earlier processes.
  Timestamp started_;                    // In this one.
  bool critic_was_told_ = false;
};

}  // namespace spoor::agent::record
