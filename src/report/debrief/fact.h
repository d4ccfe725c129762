#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/rationale.h"
#include "agent/spent_facts.h"
#include "base/timestamp.h"
#include "llm/money.h"
#include "report/debrief/debrief.h"
#include "store/oid.h"
#include "trace/step.h"

/// The decisions of an agent and their reasons, reconstructed: facts of a run from a source, one
/// fold over them, and the ways to show the result.
namespace spoor::report::debrief {

/// The run began. If there are several, the last one counts.
struct RunStarted {
  std::string run_id;  ///< empty: not stated
  std::string goal;
  std::string planner, principal, session, model;  ///< each empty if it is not known
};

/// The model asked for a call.
struct CallChosen {
  std::uint64_t number = 0;  ///< the source's own, by which CallReturned names it; never 0
  std::string tool;
  std::optional<Rationale> rationale;
  std::optional<trace::Reason> unread = {};  ///< in place of `rationale`: read when shown
  std::string target = {};                   ///< its command or path; empty: not read
};

/// The result of a call. Without a number it answers the oldest open call of the same tool.
struct CallReturned {
  std::uint64_t number = 0;  ///< 0: not known
  std::string tool;          ///< with a number: the tool's own name, if the call used another
  bool is_error = false;
  bool is_refused = false;                ///< the call was not made
  bool is_interrupted = false;            ///< it is unknown whether the call took effect
  std::string said;                       ///< the first line of the result
  std::optional<std::int64_t> exit_code;  ///< of a command
  std::string artifact;                   ///< `test_run`, `command`, `file_edit`; empty: none
};

struct StrategySwitched {
  std::string from, to;
  std::string reason;  ///< replaces a missing rationale
  std::optional<Rationale> rationale;
};

/// The model assumed something.
struct Assumed {
  std::string assumption;
  std::optional<Rationale> rationale;
};

/// The decision on a part of the context.
struct Curated {
  std::string action;  ///< kept, dropped, compressed, marked-untrusted
  std::string target;
  std::optional<Rationale> rationale;
};

struct Weighed {
  std::string chosen;
  std::vector<Alternative> rejected;
};

/// The runtime intervened.
struct Reacted {
  std::string action;  ///< early-stop, branch, compress, switch-strategy, attribute
  std::string what;
  std::optional<Rationale> rationale;
};

/// A call without a reason.
struct ReasonMissing {
  std::uint64_t call = 0;  ///< its number in its answer
  std::string tool;
};

/// Steps of a plan without a reason, although it was asked for twice.
struct PlanReasonsMissing {
  std::uint64_t count = 0;
};

/// A reason cites an observation that the run never made.
struct RefUnknown {
  std::uint64_t call = 0;  ///< its number in its answer; 0: not known
  std::string ref;
};

/// Any other notable event: a pause, a new plan, a critique. After `resumed` the run has not ended,
/// and the time before it does not count.
struct Noted {
  std::string word;  ///< resumed, parked, approved, denied, replan, critique, nudge, …
  std::string text;
};

/// The cost of one answer of a model, or of a tool. The cost of an agent's answer belongs to the
/// first call that follows it.
struct Spent {
  enum class By { agent, critic, tool };
  TokenCost cost;
  By by = By::agent;
};

/// Why the run ended. If there are several, the last one counts.
struct Terminated {
  std::string by;
  std::optional<Rationale> rationale;
  std::string limit, spent;  ///< decimal numbers, if a threshold was reached
};

/// How the run ended. If there are several, the last one counts.
struct Completed {
  std::string status;                      ///< success, failure, cancelled, stopped, …
  std::string stopped;                     ///< the planner's own word; empty: not known
  std::optional<std::uint64_t> tokens;     ///< nullopt: the sum of the spent tokens
  std::optional<llm::Money> cost;          ///< nullopt: the sum of the costs
  std::optional<std::int64_t> elapsed_ms;  ///< nullopt: the time between the facts
  std::string answer, error;
};

/// One event of a run from a source. Facts are in the order of the events.
struct Fact {
  using What = std::variant<RunStarted, CallChosen, CallReturned, StrategySwitched, Assumed,
                            Curated, Weighed, Reacted, ReasonMissing, PlanReasonsMissing,
                            RefUnknown, Noted, Spent, Terminated, Completed>;
  std::int64_t step = 0;  ///< the iteration; -1 before the first one, if a source has such facts
  std::optional<store::Oid> commit;  ///< its commit in the graph
  std::optional<Timestamp> time;
  What what;
  /// It happened in the run that this one continues: it is on the path, but its time and its cost
  /// belong to the other run.
  bool is_inherited = false;
};

}  // namespace spoor::report::debrief
