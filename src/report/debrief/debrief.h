#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/rationale.h"
#include "agent/runs.h"
#include "agent/spent_facts.h"
#include "base/timestamp.h"
#include "llm/money.h"
#include "report/debrief/bounded_list.h"
#include "store/oid.h"
#include "trace/step.h"
#include "trace/totals.h"

namespace spoor::report::debrief {

using agent::Alternative;
using agent::Origin;
using agent::Rationale;
using agent::RunName;
using agent::TokenCost;
using store::Oid;
using trace::ToolUse;

/// The position of a fact in a run.
struct Position {
  std::uint64_t order = 0;  ///< among all facts of the run
  std::int64_t step = 0;
  std::optional<store::Oid> commit;
  std::optional<Timestamp> time;
};

/// The actual result of a call.
struct Outcome {
  bool is_error = false;
  bool is_interrupted = false;
  bool is_refused = false;  ///< the call was not made
  std::string said;         ///< the first line, at most kMaxSaid code points
  std::optional<std::int64_t> exit_code;
  std::optional<store::Oid> commit;
};

/// A step of the path: a call, or a change of strategy.
struct PathEntry {
  Position place;
  std::string action;  ///< `tool:NAME`, `strategy:FROM→TO`
  bool is_switch = false;
  std::string tool;      ///< of a call
  std::string target;    ///< of a call: its command or path, shortened; empty: not read
  std::string from, to;  ///< of a change of strategy
  std::optional<Rationale> rationale;
  trace::Reason::Source reason_source = trace::Reason::Source::none;  ///< where `rationale` is from
  std::optional<trace::Reason> unread;  ///< set until `rationale` has been read
  std::optional<Outcome> outcome;       ///< nullopt: no answer is recorded
  TokenCost cost;                       ///< of the answer that asked for it; only on its first call
  std::vector<std::string> unknown_refs;
};

struct Assumption {
  Position place;
  std::string assumption;
  std::optional<Rationale> rationale;
};

struct CuratorAction {
  Position place;
  std::string action, target;
  std::optional<Rationale> rationale;
};

struct Weighing {
  Position place;
  std::string chosen;
  std::vector<Alternative> rejected;
};

struct Reaction {
  Position place;
  std::string action, what;
  std::optional<Rationale> rationale;
};

struct UnknownRef {
  Position place;
  std::uint64_t call = 0;
  std::string ref;
};

struct Note {
  Position place;
  std::string word, text;
};

/// A run of an agent that the run called. Its own calls and failures are not among the run's.
struct CalledAgent {
  std::string agent;      ///< its name; empty: not known
  std::string run;        ///< its id
  std::int64_t step = 0;  ///< of the call
  std::string status;     ///< how it stopped, as status_of() has it
  std::int64_t steps = 0;
  std::uint64_t calls = 0, failed = 0, refused = 0;
  TokenCost cost;
};

struct Termination {
  Position place;
  std::string by = "unknown";
  std::optional<Rationale> rationale;
  std::string limit, spent;
};

struct Verdict {
  std::string status, stopped;
  std::uint64_t tokens = 0;
  std::optional<llm::Money> cost;
  std::int64_t elapsed_ms = 0;
  std::string answer, error;
};

/// The last call that checked the work: a command or a test run.
struct Check {
  Position place;
  std::string tool;
  Outcome outcome;

  bool is_bad() const { return outcome.is_error || outcome.exit_code.value_or(0) != 0; }
};

/// How often calls with a stated confidence failed.
struct Calibration {
  double from = 0, to = 1;  ///< confidence in [from, to); the last range includes 1
  std::uint64_t calls = 0;  ///< calls with a result
  std::uint64_t failed = 0;
};

constexpr std::size_t kMaxSaid = 200;

/// The reconstruction of a run. Lists keep their beginning and their end (bounded_list.h); the
/// counts include all.
struct Debrief {
  explicit Debrief(std::size_t most = 1'000);

  std::string run_id = "unknown";
  std::string goal;
  std::string planner, principal, session, model;  ///< each empty if it is not known
  std::optional<store::Oid> root, head;            ///< in the graph
  std::optional<Origin> origin;  ///< of a run that continues another one: the other run's steps
                                 ///< before Origin::from_step are the beginning of its path
  std::uint64_t commits = 0;     ///< of the run, in the graph
  std::optional<Timestamp> began, last;  ///< times of the first and the last fact
  std::int64_t elapsed_ms = 0;           ///< between them, without pauses
  bool is_run = true;                    ///< false: a history without an end event
  std::string last_words;                ///< of the last answer, if nothing else shows how it ended

  BoundedList<PathEntry> path;
  BoundedList<Assumption> assumptions;
  BoundedList<CuratorAction> curator;
  BoundedList<Weighing> alternatives;
  BoundedList<Reaction> reactions;
  BoundedList<UnknownRef> unknown_refs;
  BoundedList<Note> notes;
  BoundedList<CalledAgent> agents;  ///< empty in a summary
  Termination termination;
  std::optional<Verdict> verdict;  ///< nullopt: the run has not ended, or recorded no end

  std::int64_t steps = 0;                  ///< the number of the last one
  std::uint64_t calls = 0, explained = 0;  ///< coverage
  std::uint64_t returned = 0, failed = 0;  ///< calls with a result, and with a bad result
  std::uint64_t refused = 0;               ///< calls that were not made
  std::uint64_t reported_missing = 0;      ///< reasons that the run itself reported as missing
  std::array<Calibration, 4> calibration;
  std::map<std::string, ToolUse> tools;  ///< at most kMaxTools; others are under `(others)`
  TokenCost cost;                        ///< the total cost, with that of called agents
  std::uint64_t answers = 0;             ///< of models, including a critic's
  std::optional<Check> last_check;
  std::optional<trace::Totals> totals;  ///< of a history in the graph; nullopt: of a trace file
  std::uint64_t skipped = 0;            ///< lines of a trace that could not be read

  /// Statements of the run that its record contradicts: one sentence each.
  std::vector<std::string> contradictions;
};

constexpr std::size_t kMaxTools = 200;

/// Return the name of each kind of decision: `tool-selection`, `curator-dropped`,
/// `strategy-switch:a→b`, `reactive-branch`, `termination:max_cost`.
std::string decision_of(const PathEntry& entry);
std::string decision_of(const CuratorAction& action);
std::string decision_of(const Reaction& reaction);
std::string decision_of(const Termination& termination);

/// A decision with a reason.
struct DecisionReason {
  std::int64_t step = 0;
  std::string decision;
  std::string tool;  ///< empty: none
  Rationale rationale;
  std::string source;  ///< as trace::name_of() names it
};

/// Returns all kept decisions, in the order in which they were taken, with the termination last.
std::vector<DecisionReason> reasons_of(const Debrief& debrief);

}  // namespace spoor::report::debrief
