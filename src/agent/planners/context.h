#pragma once

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

/// A call that a planner wants made.
struct Call {
  std::int64_t number = 1;  ///< in its answer, or in its plan; from 1
  std::string tool;
  std::string arguments;                 ///< JSON, whatever it is; empty: `{}`
  std::string id;                        ///< of a native call; else empty
  std::string called_as;                 ///< of a native call: its name on the wire
  const Rationale* rationale = nullptr;  ///< as long-lived as the call; null: none
  compile::Oid answer = {};              ///< the answer, or the plan, that it stands in
};

/// How a planner, or a part of one, came to its end.
struct Ending {
  Stopped stopped = Stopped::error;
  std::string by;  ///< `final_answer`, `critic`, …: what ended it
  std::optional<std::string> answer;
  std::string error;
  std::string limit;  ///< of a threshold, a JSON number; empty: none
  std::string spent;
};

/// What the planners share: one run, its tools, its limits, and its steps so far.
class Context {
 public:
  /// All must outlive it. `calling` is never automatic. `mark`: what was spent before the run.
  Context(record::Recorder& recorder, const Catalogue& catalogue, const Models& models,
          const RunOptions& options, Calling calling, llm::CostTracker& tracker,
          const llm::Spending& mark);

  /// Has the run to end here? Asked at each boundary, in this order: interrupted, cost, tokens,
  /// wall time. While a recording is gone through, it need not.
  std::optional<Ending> must_end();

  /// The ending of a part that is what the recording holds next; nothing where it holds another.
  Result<std::optional<Ending>> recorded_ending();

  /// Asks the model. A failure of the call is in the answer.
  Result<record::Answer> ask(record::Purpose purpose, std::int64_t step, record::ReadAnswer read,
                             std::optional<std::int64_t> window = {});

  /// Makes the calls of one answer, in order, those that only read side by side; each result is
  /// committed. `is_known_begun`: the intent was recorded by an earlier process, so that a call
  /// without a result may have been begun: the first such is said to be unverified. Each gives a
  /// step. An ending: the run stops before the remaining ones.
  Result<std::optional<Ending>> act(std::int64_t step, const std::string& thought,
                                    const std::vector<Call>& calls, bool is_known_begun);

  /// A part of the run begins, which has its own steps and observations.
  void begin_part();

  /// The last observation as it is; nothing when there is none.
  std::optional<std::string> last_observation() const { return last_observation_; }

  /// The ending for a call that came to nothing.
  Ending failed_call(const llm::Failure& failure) const;

  std::string id_of(std::string_view called_as) const { return models_.id_of(called_as); }
  record::Recorder& recorder() { return recorder_; }
  const RunOptions& options() const { return options_; }
  Calling calling() const { return calling_; }
  KnownRefs& known() { return known_; }

  void tell(RunEvent event) const;

  /// Tells people, now and with the result.
  void warn(std::string text);

  PlanResult progress;  ///< steps, plans, critiques and warnings so far

 private:
  std::optional<ToolResult> refused(const Call& call, const KnownRefs& known) const;
  Result<void> keep(std::int64_t step, const std::string& thought, const Call& call,
                    ToolResult result, const llm::Spending& spent = {});
  void take(std::int64_t step, const std::string& thought, const Call& call,
            const ToolResult& result, const compile::Oid& commit, bool is_recorded);
  ToolResult run_one(const Call& call) const;
  std::vector<std::optional<ToolResult>> run_side_by_side(
      const std::vector<const Call*>& calls) const;
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
  bool has_warned_of_cost_ = false;
  mutable std::mutex hooks_;  // Handlers are told of one tool at a time.
};

}  // namespace spoor::agent::planners
