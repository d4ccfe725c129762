
#include "base/json/writer.h"
#include "report/debrief/json_members.h"
#include "report/debrief/phrases.h"
#include "report/event/event.h"
#include "report/phrases.h"
#include "report/report.h"
#include "trace/totals_json.h"

namespace spoor::report {

namespace {

using debrief::add_count;
using debrief::add_integer;
using debrief::add_list;
using debrief::add_money;
using debrief::add_text;
using json::Object;

std::string counts(const std::map<std::string, std::uint64_t>& map) {
  Object object;
  for (const auto& [name, count] : map) add_count(object, name, count);
  return object.write();
}

std::string of(const TimelineEntry& entry) {
  Object object;
  add_text(object, "timestamp", entry.timestamp);
  object.add_string("hash", entry.commit.hex());
  object.add_string("action_type", name_of(entry.type));
  object.add_string("summary", entry.summary);
  object.add_boolean("is_bad", entry.is_bad);
  object.add_string("evaluation", name_of(entry.evaluation));
  add_integer(object, "input_tokens", entry.input_tokens);
  add_integer(object, "output_tokens", entry.output_tokens);
  add_money(object, "cost_usd", entry.cost);
  object.add_boolean("is_cost_estimated", entry.is_cost_estimated);
  add_integer(object, "latency_ms", entry.latency_ms);
  return object.write();
}

std::string of(const std::string& path, const FileTouched& file) {
  Object object;
  object.add_string("path", path);
  add_count(object, "edits", file.edits);
  object.add_integer("lines_added", file.lines_added);
  object.add_integer("lines_removed", file.lines_removed);
  object.add_boolean("is_counted", file.is_counted);
  object.add_string("hash", file.last.hex());
  return object.write();
}

std::string of(const CommandRun& command) {
  Object object;
  add_text(object, "timestamp", command.timestamp);
  object.add_string("hash", command.commit.hex());
  object.add_boolean("is_test", command.is_test);
  object.add_string("summary", command.summary);
  add_integer(object, "exit_code", command.exit_code);
  object.add_boolean("is_bad", command.is_bad);
  return object.write();
}

std::string of(const ViolationCount& violation) {
  Object object;
  object.add_string("id", violation.id);
  object.add_string("severity", name_of(violation.severity));
  add_count(object, "count", violation.count);
  object.add_string("message", violation.message);
  object.add_string("evidence", violation.evidence);
  object.add_string("hash", violation.commit.hex());
  return object.write();
}

std::string of(const std::string& name, const trace::ModelUse& use) {
  Object object;
  object.add_string("model", name.empty() ? kUnknown : name);
  add_count(object, "answers", use.answers);
  add_count(object, "failed", use.failed);
  add_count(object, "input_tokens", use.tokens.sent());
  add_count(object, "output_tokens", use.tokens.output);
  add_money(object, "cost_usd", use.cost.money);
  object.add_boolean("is_cost_estimated", is_estimated(use.cost));
  return object.write();
}

template <class T>
std::string list_of(const std::map<std::string, T>& map) {
  std::vector<std::string> all;
  all.reserve(map.size());
  for (const auto& [name, element] : map) all.push_back(of(name, element));
  return json::write_array(all);
}

std::string coverage(const debrief::Debrief& debrief) {
  Object object;
  add_count(object, "calls", debrief.calls);
  add_count(object, "explained", debrief.explained);
  return object.write();
}

}  // namespace

std::string to_json(const Report& report) {
  const debrief::Debrief& debrief = report.debrief;
  const trace::Totals& totals = report.totals;
  Object object;
  object.add_string("run_id", report.run_id);
  object.add_string("trace_id", report.trace_id);
  object.add_string("session_id", report.session_id);
  object.add_string("agent_id", report.agent_id);
  object.add_string("environment", report.environment);
  add_text(object, "goal", debrief.goal);
  object.add_string("status", debrief::status_of(debrief));
  object.add_json("contradictions", json::write_strings(debrief.contradictions));
  object.add_integer("elapsed_ms", debrief.elapsed_ms);
  add_count(object, "events", report.events);
  object.add_json("actions", counts(report.actions));
  Object left_out;
  const auto write = [](const auto& entry) { return of(entry); };
  add_list(object, left_out, "timeline", report.timeline, write);
  object.add_json("files", list_of(report.files));
  add_count(object, "hidden_edits", report.hidden_edits);
  add_list(object, left_out, "commands", report.commands, write);
  add_count(object, "commands_run", report.commands_run);
  add_count(object, "commands_failed", report.commands_failed);
  add_count(object, "tests_run", report.tests_run);
  add_count(object, "tests_failed", report.tests_failed);
  add_count(object, "blocked", totals.refused);
  add_count(object, "failed_calls", totals.failed_requests);
  std::vector<std::string> violations;
  for (const ViolationCount& violation : report.violations) violations.push_back(of(violation));
  object.add_json("violations", json::write_array(violations));
  object.add_json("evaluations", counts(report.evaluations));
  object.add_json("models", list_of(totals.models));
  add_count(object, "input_tokens", totals.tokens.sent());
  add_count(object, "output_tokens", totals.tokens.output);
  add_money(object, "cost_usd", totals.cost.money);
  object.add_boolean("is_cost_estimated", is_estimated(totals.cost));
  object.add_json("totals", trace::to_json(totals));
  object.add_json("coverage", trace::to_json(report.coverage));
  object.add_json("rationale", coverage(debrief));
  object.add_json("left_out", left_out.write());
  return object.write();
}

}  // namespace spoor::report
