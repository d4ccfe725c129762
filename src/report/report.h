#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/runs.h"
#include "llm/money.h"
#include "llm/price.h"
#include "report/debrief/bounded_list.h"
#include "report/debrief/debrief.h"
#include "report/event/event.h"
#include "report/event/projection.h"
#include "trace/coverage.h"

/// The effects of an agent's run, for the person responsible for it: a fold over the events of a
/// run, with the reasons in its debrief.
namespace spoor::report {

using store::Oid;

using debrief::BoundedList;

/// An action, on one line.
struct TimelineEntry {
  std::string timestamp;  ///< RFC 3339; empty: the source has none
  Oid commit;
  AgentAction::Type type = AgentAction::Type::other;
  EventKind kind = EventKind::action;
  std::string summary;  ///< as far as the capture mode shows it, shortened
  bool is_bad = false;  ///< it failed, was refused, or had no result
  CheckStatus evaluation = CheckStatus::unknown;  ///< the worst of its three statuses
  std::optional<std::int64_t> input_tokens, output_tokens;
  std::optional<llm::Money> cost;
  bool is_cost_estimated = false;
  std::optional<std::int64_t> latency_ms;
};

struct FileTouched {
  std::uint64_t edits = 0;
  std::int64_t lines_added = 0, lines_removed = 0;
  bool is_counted = true;  ///< false: an edit did not record how many lines
  Oid last;                ///< the commit of the newest edit
};

/// A command, or a run of tests.
struct CommandRun {
  std::string timestamp;
  Oid commit;
  bool is_test = false;
  std::string summary;
  std::optional<std::int64_t> exit_code;
  bool is_bad = false;
};

/// A broken rule, and how often it was broken.
struct ViolationCount {
  std::string id;
  Severity severity = Severity::info;  ///< the worst
  std::uint64_t count = 0;
  std::string message;  ///< of the first violation of that severity
  std::string evidence;
  Oid commit;
};

/// The tokens and cost spent up to an event.
struct SpentPoint {
  std::uint64_t event = 0;  ///< its number, from 0
  std::uint64_t tokens = 0;
  llm::Money cost;
  bool is_bad = false;
};

constexpr std::size_t kMaxFiles = 1'000;
constexpr std::size_t kMaxRules = 200;
constexpr const char* kOthers = "(others)";  ///< what exceeds these limits

/// The summary of a run. Lists keep their beginning and their end; counts include all. A value.
struct Report {
  explicit Report(std::size_t most = 1'000) : timeline(most), commands(most) {}

  std::string run_id;  ///< for a history that no run wrote, the first digits of its tip
  std::string trace_id, session_id, agent_id;
  std::string environment;  ///< local, ci, staging, prod, unknown
  std::uint64_t events = 0;
  std::map<std::string, std::uint64_t> actions;  ///< by type, without types that do not occur
  BoundedList<TimelineEntry> timeline;
  std::map<std::string, FileTouched> files;  ///< by path; at most kMaxFiles, and kOthers
  std::uint64_t hidden_edits = 0;            ///< edits whose paths the capture mode hides
  BoundedList<CommandRun> commands;
  std::uint64_t commands_run = 0, commands_failed = 0;  ///< without tests
  std::uint64_t tests_run = 0, tests_failed = 0;
  std::vector<ViolationCount> violations;            ///< the worst first, then the most frequent
  std::map<std::string, std::uint64_t> evaluations;  ///< actions by the worst of their statuses
  std::vector<SpentPoint> spending;                  ///< at most kMaxPoints, thinned evenly

  debrief::Debrief debrief;  ///< goal, verdict, reasons
  trace::Coverage coverage;  ///< the known contents of the history
  trace::Totals totals;      ///< the counts, which every view shares
};

constexpr std::size_t kMaxPoints = 600;

/// Return a JSON document (docs/cli-json.md, "Report"), a Markdown document, and one HTML file
/// without scripts or external content. Every text of the run is escaped in them.
std::string to_json(const Report& report);
std::string to_markdown(const Report& report);
std::string to_html(const Report& report);

/// Builds a report from events, one at a time, in their order. Memory: the lists of the report. For
/// one thread.
class ReportFold {
 public:
  explicit ReportFold(std::size_t most = 1'000) : report_(most) {}

  void add(const DecisionEvent& event);

  Report finish(debrief::Debrief debrief);

 private:
  void count_action(const DecisionEvent& event, bool is_bad);
  void count_edit(const DecisionEvent& event, const Artifact& artifact);
  void count_violations(const DecisionEvent& event);
  void add_point(const TimelineEntry& entry);

  Report report_;
  std::map<std::string, ViolationCount> violations_;
  std::uint64_t stride_ = 1;  // Events per point.
  SpentPoint sum_;
};

/// Returns the worst of the three statuses of an evaluation: fail, warn, pass, unknown.
CheckStatus worst_of(const Evaluation& evaluation);

/// Returns the report of a run at its head, or of the history of `head` if `run` is nullopt. Its
/// lists keep `most` elements each. Includes the judgements so far. Answers without a stated cost
/// are priced by `prices`. Returns the errors of reading.
Result<Report> report_of(graph::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most, const llm::PriceList& prices);

/// Returns a plot of the tokens and, if known, the cost by event, both cumulative, as one SVG
/// element of HTML: no script, and of styles only the classes `tokens`, `cost`, `bad`, `axis`.
/// Empty for fewer than two points. Contains no text of the run.
std::string spending_plot(const std::vector<SpentPoint>& points, bool has_cost);

}  // namespace spoor::report
