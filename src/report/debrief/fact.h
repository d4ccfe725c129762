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

/// What an agent did and why, read back: facts of a run from some source, one fold over them, and
/// the ways to show what comes out.
namespace spoor::report::debrief {

/// The run began. The last one tells.
struct RunStarted {
  std::string run_id;  ///< empty: not said
  std::string goal;
  std::string planner, principal, session, model;  ///< each empty where it is not known
};

/// The model asked for a call.
struct CallChosen {
  std::uint64_t number = 0;  ///< the source's own, by which CallReturned names it; never 0
  std::string tool;
  std::optional<Rationale> rationale;
  std::optional<trace::Reason> unread = {};  ///< instead: it is read where it is shown
  std::string target = {};                   ///< its command or path; empty: not read
};

/// What a call gave. Without a number it answers the oldest open call of the same tool.
struct CallReturned {
  std::uint64_t number = 0;  ///< 0: not known
  std::string tool;          ///< with a number: the tool's own name, if the call had another
  bool is_error = false;
  bool is_refused = false;                ///< the call was not made
  bool is_interrupted = false;            ///< nobody knows whether it took effect
  std::string said;                       ///< the first line of the result
  std::optional<std::int64_t> exit_code;  ///< of a command
  std::string artifact;                   ///< `test_run`, `command`, `file_edit`; empty: none
};

struct StrategySwitched {
  std::string from, to;
  std::string reason;  ///< stands in for a rationale
  std::optional<Rationale> rationale;
};

/// Something the model took for granted.
struct Assumed {
  std::string assumption;
  std::optional<Rationale> rationale;
};

/// What became of a part of the context.
struct Curated {
  std::string action;  ///< kept, dropped, compressed, marked-untrusted
  std::string target;
  std::optional<Rationale> rationale;
};

struct Weighed {
  std::string chosen;
  std::vector<Alternative> rejected;
};

/// The runtime stepped in.
struct Reacted {
  std::string action;  ///< early-stop, branch, compress, switch-strategy, attribute
  std::string what;
  std::optional<Rationale> rationale;
};

/// A call that no reason was given for.
struct ReasonMissing {
  std::uint64_t call = 0;  ///< its number in its answer
  std::string tool;
};

/// Steps of a plan without a reason, asked for twice.
struct PlanReasonsMissing {
  std::uint64_t count = 0;
};

/// A reason cites an observation that the run never made.
struct RefUnknown {
  std::uint64_t call = 0;  ///< its number in its answer; 0: not known
  std::string ref;
};

/// Anything else worth a line: a pause, a new plan, a critique. After `resumed` the run has not
/// ended, and the time before it does not count.
struct Noted {
  std::string word;  ///< resumed, parked, approved, denied, replan, critique, nudge, …
  std::string text;
};

/// What one answer of a model cost, or a tool. The agent's answer: it belongs to the first call
/// that comes behind it.
struct Spent {
  enum class By { agent, critic, tool };
  Cost cost;
  By by = By::agent;
};

/// Why the run ended. The last one tells.
struct Terminated {
  std::string by;
  std::optional<Rationale> rationale;
  std::string limit, spent;  ///< decimal numbers, where a threshold was reached
};

/// How it ended. The last one tells.
struct Completed {
  std::string status;                      ///< success, failure, cancelled, stopped, …
  std::string stopped;                     ///< the planner's own word; empty: not known
  std::optional<std::uint64_t> tokens;     ///< nothing: the sum of what was spent
  std::optional<llm::Money> cost;          ///< likewise
  std::optional<std::int64_t> elapsed_ms;  ///< nothing: what passed between the facts
  std::string answer, error;
};

/// One thing that happened, as a source tells it, in the order in which it happened.
struct Fact {
  using What = std::variant<RunStarted, CallChosen, CallReturned, StrategySwitched, Assumed,
                            Curated, Weighed, Reacted, ReasonMissing, PlanReasonsMissing,
                            RefUnknown, Noted, Spent, Terminated, Completed>;
  std::int64_t step = 0;  ///< the iteration; -1 before the first one, where a source says so
  std::optional<store::Oid> commit;  ///< where it stands in the graph
  std::optional<Timestamp> time;
  What what;
  /// It happened in the run that this one went on from: it is on the path, and its time and its
  /// cost are the other run's.
  bool is_inherited = false;
};

}  // namespace spoor::report::debrief
