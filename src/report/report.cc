#include "report/report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "guard/check/evaluations.h"
#include "report/debrief/excerpt.h"
#include "report/debrief/graph_source.h"
#include "report/event/event.h"

namespace spoor::report {

namespace {

using debrief::cut;
using debrief::one_line;

constexpr std::size_t kMaxSummary = 300;

std::string line_of(const Content& content) { return cut(one_line(shown(content)), kMaxSummary); }

// Returns true if an artifact or a result shows a failure.
bool is_bad_result(const AgentAction& action) {
  const auto& results = action.tool_results;
  const auto& artifacts = action.artifacts;
  return std::any_of(results.begin(), results.end(),
                     [](const ToolResult& result) { return result.is_error; }) ||
         std::any_of(artifacts.begin(), artifacts.end(),
                     [](const Artifact& artifact) { return artifact.exit_code.value_or(0) != 0; });
}

bool is_bad_event(const DecisionEvent& event) {
  return event.kind == EventKind::failed_call ||
         event.agent_action.type == AgentAction::Type::blocked || is_bad_result(event.agent_action);
}

std::uint64_t count_of(const std::optional<std::int64_t>& tokens) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokens.value_or(0)));
}

std::optional<std::int64_t> exit_code_of(const AgentAction& action) {
  for (const Artifact& artifact : action.artifacts) {
    if (artifact.exit_code) return artifact.exit_code;
  }
  return std::nullopt;
}

// Returns the entry of a bounded map at `key`; when the map is full, new keys share kOthers.
template <class T>
T& entry_of(std::map<std::string, T>& map, const std::string& key, std::size_t most) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  return map[map.size() < most ? key : kOthers];
}

int rank(CheckStatus status) {
  switch (status) {
    case CheckStatus::fail:
      return 3;
    case CheckStatus::warn:
      return 2;
    case CheckStatus::pass:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

CheckStatus worst_of(const Evaluation& evaluation) {
  return std::max({evaluation.alignment, evaluation.quality, evaluation.policy},
                  [](CheckStatus a, CheckStatus b) { return rank(a) < rank(b); });
}

void ReportFold::add(const DecisionEvent& event) {
  if (report_.events == 0) {
    report_.run_id = event.session.run_id;
    report_.trace_id = event.trace_id;
    report_.session_id = event.session.session_id;
    report_.agent_id = event.session.agent_id;
    report_.environment = name_of(event.session.environment);
  }
  const bool is_bad = is_bad_event(event);
  ++report_.actions[std::string(name_of(event.agent_action.type))];
  count_action(event, is_bad);
  count_violations(event);
  const CheckStatus worst = worst_of(event.evaluation);
  ++report_.evaluations[std::string(name_of(worst))];
  TimelineEntry entry{
      .timestamp = event.timestamp,
      .commit = event.commit,
      .type = event.agent_action.type,
      .kind = event.kind,
      .summary = line_of(event.agent_action.summary),
      .is_bad = is_bad,
      .evaluation = worst,
      .cost = event.tool_cost,
  };
  if (const auto& output = event.model_output) {
    entry.input_tokens = output->input_tokens;
    entry.output_tokens = output->output_tokens;
    entry.cost = output->cost;
    entry.is_cost_estimated = output->cost && output->cost_trust != trace::Trust::reported;
    entry.latency_ms = output->latency_ms;
  }
  add_point(entry);
  report_.timeline.add(std::move(entry));
  ++report_.events;
}

void ReportFold::count_action(const DecisionEvent& event, bool is_bad) {
  using Type = AgentAction::Type;
  const AgentAction& action = event.agent_action;
  if (event.kind != EventKind::action) return;
  if (action.type == Type::blocked) return;
  for (const Artifact& artifact : action.artifacts) {
    if (artifact.type == Artifact::Type::file_edit) count_edit(event, artifact);
  }
  const bool is_test = action.type == Type::run_tests;
  const bool is_command = action.type == Type::command || action.type == Type::open_pr ||
                          action.type == Type::merge || action.type == Type::deploy;
  if (!is_test && !is_command) return;
  ++(is_test ? report_.tests_run : report_.commands_run);
  if (is_bad) ++(is_test ? report_.tests_failed : report_.commands_failed);
  report_.commands.add({event.timestamp, event.commit, is_test, line_of(action.summary),
                        exit_code_of(action), is_bad});
}

void ReportFold::count_edit(const DecisionEvent& event, const Artifact& artifact) {
  if (!artifact.path || !artifact.path->has_text()) {
    ++report_.hidden_edits;
    return;
  }
  FileTouched& file = entry_of(report_.files, artifact.path->text, kMaxFiles);
  ++file.edits;
  file.lines_added += artifact.lines_added.value_or(0);
  file.lines_removed += artifact.lines_removed.value_or(0);
  file.is_counted = file.is_counted && artifact.lines_added && artifact.lines_removed;
  file.last = event.commit;
}

void ReportFold::count_violations(const DecisionEvent& event) {
  // An override is the judgement of the event before it, which contains it.
  if (event.kind == EventKind::override_) return;
  const auto take = [&](const std::vector<Violation>& violations) {
    for (const Violation& violation : violations) {
      // A person's remark with a pass is not a violation.
      if (violation.id == guard::check::kPerson && violation.severity == Severity::info) continue;
      ViolationCount& count = entry_of(violations_, violation.id, kMaxRules);
      if (count.count++ == 0 || violation.severity > count.severity) {
        count.severity = violation.severity;
        count.message = line_of(violation.message);
        count.evidence = line_of(violation.evidence);
        count.commit = event.commit;
      }
    }
  };
  const Evaluation& evaluation = event.evaluation;
  if (evaluation.alignment != CheckStatus::pass) take(evaluation.violations);
  for (const auto* checks : {&evaluation.quality_checks, &evaluation.policy_checks}) {
    for (const CheckResult& check : *checks) {
      if (check.status != CheckStatus::pass) take(check.violations);
    }
  }
}

// Each drawn point covers the same number of events.
void ReportFold::add_point(const TimelineEntry& entry) {
  sum_.tokens += count_of(entry.input_tokens) + count_of(entry.output_tokens);
  if (entry.cost) sum_.cost += *entry.cost;
  sum_.is_bad = sum_.is_bad || entry.is_bad;
  sum_.event = report_.events;
  if ((report_.events + 1) % stride_ != 0) return;
  auto& points = report_.spending;
  points.push_back(sum_);
  sum_.is_bad = false;
  if (points.size() < kMaxPoints) return;
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    const bool was_bad = points[2 * i].is_bad;
    points[i] = points[2 * i + 1];
    points[i].is_bad = points[i].is_bad || was_bad;
  }
  points.resize(points.size() / 2);
  stride_ *= 2;
}

Report ReportFold::finish(debrief::Debrief debrief) {
  Report report = report_;
  const bool has_more =
      report.events > 0 && (report.spending.empty() || report.spending.back().event != sum_.event);
  if (has_more) report.spending.push_back(sum_);
  for (const auto& [id, count] : violations_) {
    report.violations.push_back(count);
    report.violations.back().id = id;
  }
  std::stable_sort(report.violations.begin(), report.violations.end(),
                   [](const ViolationCount& a, const ViolationCount& b) {
                     if (a.severity != b.severity) return a.severity > b.severity;
                     return a.count > b.count;
                   });
  report.totals = debrief.totals.value_or(trace::Totals());
  report.debrief = std::move(debrief);
  return report;
}

Result<Report> report_of(graph::Repository& repository, const std::optional<agent::RunName>& run,
                         const Oid& head, std::size_t most, const llm::PriceList& prices) {
  const auto judged = TRY(guard::check::read_evaluations(repository));
  ReportFold fold(most);
  const EventOptions options{.bundles = false, .prices = &prices, .judgements = &judged};
  TRY(project(repository, run, head, options, [&fold](DecisionEvent&& event) -> Result<void> {
    fold.add(event);
    return {};
  }));
  const debrief::GraphOptions read{.most = most, .prices = &prices};
  Report report = fold.finish(TRY(run ? debrief::debrief_of(repository, *run, read)
                                      : debrief::debrief_of(repository, head, read)));
  report.coverage = TRY(trace::coverage_of(repository, head, &report.totals));
  // A name that can be typed: the digits of the run, else of the commit where the history was read.
  report.run_id = run ? run->id : head.hex(16);
  return report;
}

}  // namespace spoor::report
