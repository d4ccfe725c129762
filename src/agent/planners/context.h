#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/planner.h"
#include "agent/planners/models.h"
#include "agent/planners/reasons.h"
#include "agent/record/recorder.h"

namespace spoor::agent::planners {

/// A call that a planner requests.
struct Call {
  std::int64_t number = 1;  ///< in its answer or plan; from 1
  std::string tool;
  std::string arguments;                 ///< JSON, unchecked; empty: `{}`
  std::string id;                        ///< of a native call; else empty
  std::string called_as;                 ///< of a native call: its name on the wire
  const Rationale* rationale = nullptr;  ///< as long-lived as the call; null: none
  std::string problem = {};              ///< why it cannot be made, for the model; empty: nothing
  compile::Oid answer = {};              ///< the answer or plan that contains it
};

constexpr int kMostContinued = 4;  ///< answers in a row that reach their limit

/// The end of a planner or of a part of it.
struct Ending {
  Stopped stopped = Stopped::error;
  std::string by;  ///< the cause: `final_answer`, `critic`, …
  std::optional<std::string> answer;
  std::string error;
  std::string limit;  ///< for a limit, a JSON number; empty: none
  std::string spent;
  std::optional<Rationale> rationale = {};  ///< of a Stop
};

/// The state shared by the planners: one run, its tools, its limits, its steps so far.
class Context {
 public:
  /// All arguments must outlive it. `calling` is never automatic. `mark`: spent before the run.
  Context(record::Recorder& recorder, const Catalogue& catalogue, const Models& models,
          const RunOptions& options, Calling calling, llm::CostTracker& tracker,
          const llm::Spending& mark);

  /// Returns an ending if the run must end here. Checks at each boundary, in this order:
  /// interrupted, cost, tokens, wall time. Returns nullopt while a recording is replayed.
  std::optional<Ending> must_end();

  /// Returns the ending of a part if that is the next recorded event, else nullopt.
  Result<std::optional<Ending>> recorded_ending();

  /// Asks the model. If the call fails, the answer contains the failure.
  Result<record::Answer> ask(record::Purpose purpose, std::int64_t step, record::ReadAnswer read,
                             std::optional<std::int64_t> window = {});

  /// Does the same for an answer that is a text. If it reached its limit or paused, and `is_whole`
  /// does not find it whole, asks for the rest after `go_on` (for an answer that reached its limit;
  /// empty: a nudge), a few times; then the outcome stays truncated. The text of the result is that
  /// of all parts, its commit the last one.
  struct Parts {
    std::function<bool(const std::string&)> is_whole;
    std::function<Result<void>()> go_on = {};
    std::function<std::int64_t()> window = {};  ///< of the next request; see Question::window
  };
  Result<record::Answer> ask_whole(record::Purpose purpose, std::int64_t step,
                                   const record::ReadAnswer& read, const Parts& parts);

  /// Returns the ending for an answer that still has a limit's end after all its parts.
  Ending too_long(std::optional<std::string> answer) const;

  /// True if the run follows the planners' ways of `version` or a later one.
  bool is_from(std::int64_t version) const { return options_.planner_version >= version; }

  /// Runs the calls of one answer, in order; read-only ones in parallel. Commits each result and
  /// adds a step for each call. Returns an ending if the run stops before the remaining calls.
  /// `is_known_begun`: an earlier process recorded the calls, so the first call without a result
  /// may have begun and is recorded as unverified.
  Result<std::optional<Ending>> act(std::int64_t step, const std::string& thought,
                                    const std::vector<Call>& calls, bool is_known_begun);

  /// Begins a part of the run with its own steps and observations.
  void begin_part();

  /// Returns the ending of a Stop; without an answer of its own, with the last observation.
  Ending ended_by(const Stop& stop) const;

  /// Notes an answer that is not the run's. `how`: why, for people.
  void note_answer(const std::optional<std::string>& answer, Best::Verified verified,
                   std::string how);

  /// Returns the best that the run has without an answer; see Best.
  std::optional<Best> best() const;

  /// Returns the last observation that is a value, if any: a JSON null is none.
  std::optional<std::string> last_observation() const { return last_observation_; }

  /// Returns the ending for an answer in which the model declined or that a filter withheld, else
  /// nullopt.
  std::optional<Ending> declined(const record::AnswerContent& content) const;

  /// Returns the ending for a failed model call.
  Ending failed_call(const llm::Failure& failure) const;

  std::string id_of(std::string_view called_as) const { return models_.id_of(called_as); }
  const Catalogue& catalogue() const { return catalogue_; }
  record::Recorder& recorder() { return recorder_; }
  const RunOptions& options() const { return options_; }
  Calling calling() const { return calling_; }
  KnownRefs& known() { return known_; }

  void tell(RunEvent event) const;

  /// Reports a warning now and in the result.
  void warn(std::string text);

  PlanResult progress;  ///< steps, plans, critiques and warnings so far

 private:
  std::optional<ToolResult> refused(const Call& call, const KnownRefs& known) const;
  Result<void> keep(std::int64_t step, const std::string& thought, const Call& call,
                    ToolResult result, const llm::Spending& spent = {});
  void take(std::int64_t step, const std::string& thought, const Call& call,
            const ToolResult& result, const compile::Oid& commit, bool is_recorded);
  void tell_output(const Call& call, std::string_view text) const;
  static bool is_nothing(const ToolResult& result);  // A JSON null.
  void note_result(std::int64_t step, const Call& call, const ToolResult& result,
                   const compile::Oid& commit);
  void tell_of_agent(const RunEvent& event) const;
  ToolResult run_one(const Call& call, bool is_known_begun) const;
  std::vector<std::optional<ToolResult>> run_side_by_side(const std::vector<const Call*>& calls,
                                                          bool is_known_begun) const;
  Result<std::optional<Ending>> stopped_in(std::int64_t step, const Call& call,
                                           const ToolResult& result);
  void warn_of_unknown_cost(const llm::Spending& spent);
  // The ending by a limit of the budget that is reached when the run took this long.
  std::optional<Ending> limit_reached(std::chrono::microseconds elapsed) const;
  // The rest of the run's time; nullopt: no limit.
  std::optional<std::chrono::milliseconds> time_left() const;
  Ending interrupted(std::string by) const;

  record::Recorder& recorder_;
  const Catalogue& catalogue_;
  const Models& models_;
  const RunOptions& options_;
  const Calling calling_;
  llm::CostTracker& tracker_;
  const llm::Spending mark_;
  KnownRefs known_;
  std::optional<std::string> last_observation_;
  std::optional<Best> checked_, answered_, observed_;  // The best so far, of each kind.
  bool has_warned_of_cost_ = false;
  std::string lost_thinking_;  // The last warning about it.
  mutable std::mutex hooks_;   // Calls the hooks of one tool at a time.
  mutable std::mutex output_;  // Reports the output of one tool at a time.
};

}  // namespace spoor::agent::planners
