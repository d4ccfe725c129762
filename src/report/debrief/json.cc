#include "report/debrief/views.h"

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "report/debrief/json_members.h"
#include "trace/totals_json.h"

namespace spoor::report::debrief {
namespace {

using json::write_array;
using json::write_strings;

// Adds a decimal number of the record, which may be any text.
void add_number(Object& to, const char* key, const std::string& number) {
  const auto read = json::parse(number);
  const bool is_number = !number.empty() && read && read->root().is_number();
  is_number ? to.add_raw_token(key, read->root().raw()) : to.add_json(key, kNull);
}

void add_rationale(Object& to, const std::optional<Rationale>& rationale) {
  to.add_json("rationale", rationale ? write_rationale(*rationale) : kNull);
}

std::string alternatives(const std::vector<Alternative>& list) {
  std::vector<std::string> values;
  for (const Alternative& alternative : list) {
    Object object;
    object.add_string("option", alternative.option);
    object.add_string("rejectedBecause", alternative.rejected_because);
    values.push_back(object.write());
  }
  return write_array(values);
}

Object positioned(const Position& place) {
  Object object;
  add_integer(object, "step", place.step);
  add_oid(object, "hash", place.commit);
  add_time(object, "time", place.time);
  return object;
}

std::string of(const Outcome& outcome) {
  Object object;
  object.add_boolean("is_error", outcome.is_error);
  object.add_boolean("is_interrupted", outcome.is_interrupted);
  object.add_boolean("is_refused", outcome.is_refused);
  object.add_string("said", outcome.said);
  add_integer(object, "exit_code", outcome.exit_code);
  add_oid(object, "hash", outcome.commit);
  return object.write();
}

std::string of(const TokenCost& cost) {
  Object object;
  add_count(object, "input", cost.input);
  add_count(object, "output", cost.output);
  return object.write();
}

std::string of(const PathEntry& entry) { return to_json(entry); }

std::string of(const Assumption& entry) {
  Object object = positioned(entry.place);
  object.add_string("assumption", entry.assumption);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const CuratorAction& entry) {
  Object object = positioned(entry.place);
  object.add_string("action", entry.action);
  object.add_string("target", entry.target);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const Weighing& entry) {
  Object object = positioned(entry.place);
  object.add_string("chosen", entry.chosen);
  object.add_json("rejected", alternatives(entry.rejected));
  return object.write();
}

std::string of(const Reaction& entry) {
  Object object = positioned(entry.place);
  object.add_string("action", entry.action);
  object.add_string("what", entry.what);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const UnknownRef& entry) {
  Object object = positioned(entry.place);
  object.add_string("ref", entry.ref);
  add_count(object, "call", entry.call);
  return object.write();
}

std::string of(const Note& entry) {
  Object object = positioned(entry.place);
  object.add_string("word", entry.word);
  object.add_string("text", entry.text);
  return object.write();
}

std::string of(const CalledAgent& called) {
  Object object;
  add_text(object, "agent", called.agent);
  object.add_string("run", called.run);
  add_integer(object, "step", called.step);
  object.add_string("status", called.status);
  add_integer(object, "steps", called.steps);
  add_count(object, "calls", called.calls);
  add_count(object, "failed", called.failed);
  add_count(object, "refused", called.refused);
  object.add_json("tokens", called.cost.tokens() ? of(called.cost) : kNull);
  add_money(object, "cost_usd", called.cost.money);
  return object.write();
}

std::string of(const Termination& end) {
  Object object = positioned(end.place);
  object.add_string("by", end.by);
  add_rationale(object, end.rationale);
  add_number(object, "limit", end.limit);
  add_number(object, "spent", end.spent);
  return object.write();
}

std::string of(const Verdict& verdict) {
  Object object;
  object.add_string("status", verdict.status);
  add_text(object, "stopped", verdict.stopped);
  add_count(object, "tokens", verdict.tokens);
  add_money(object, "cost_usd", verdict.cost);
  add_integer(object, "duration_ms", verdict.elapsed_ms);
  add_text(object, "answer", verdict.answer);
  add_text(object, "error", verdict.error);
  return object.write();
}

std::string coverage(const Debrief& debrief) {
  Object object;
  add_count(object, "calls", debrief.calls);
  add_count(object, "explained", debrief.explained);
  add_count(object, "returned", debrief.returned);
  add_count(object, "failed", debrief.failed);
  add_count(object, "refused", debrief.refused);
  add_count(object, "reported_missing", debrief.reported_missing);
  return object.write();
}

std::string calibration(const Debrief& debrief) {
  std::vector<std::string> values;
  for (const Calibration& bucket : debrief.calibration) {
    if (bucket.calls == 0) continue;
    Object object;
    object.add_raw_token("from", fmt::format("{}", bucket.from));
    object.add_raw_token("to", fmt::format("{}", bucket.to));
    add_count(object, "calls", bucket.calls);
    add_count(object, "failed", bucket.failed);
    values.push_back(object.write());
  }
  return write_array(values);
}

std::string tools(const Debrief& debrief) {
  std::vector<std::string> values;
  for (const auto& [name, use] : debrief.tools) {
    Object object;
    object.add_string("tool", name);
    add_count(object, "calls", use.calls);
    add_count(object, "explained", use.explained);
    add_count(object, "failed", use.failed);
    add_count(object, "refused", use.refused);
    values.push_back(object.write());
  }
  return write_array(values);
}

std::string reasons(const Debrief& debrief) {
  std::vector<std::string> values;
  for (const DecisionReason& reason : reasons_of(debrief)) {
    Object object;
    add_integer(object, "iteration", reason.step);
    object.add_string("decision", reason.decision);
    add_text(object, "tool_name", reason.tool);
    object.add_json("rationale", write_rationale(reason.rationale));
    object.add_string("source", reason.source);
    values.push_back(object.write());
  }
  return write_array(values);
}

std::string last_check(const Check& check) {
  Object object = positioned(check.place);
  object.add_string("tool", check.tool);
  object.add_json("outcome", of(check.outcome));
  return object.write();
}

std::string of(const Origin& origin) {
  Object object;
  object.add_string("run", origin.run);
  add_integer(object, "from_step", origin.from_step);
  return object.write();
}

Object summary_of(const Debrief& debrief) {
  Object object;
  object.add_string("run_id", debrief.run_id);
  object.add_string("goal", debrief.goal);
  add_text(object, "planner", debrief.planner);
  add_text(object, "principal", debrief.principal);
  add_text(object, "session", debrief.session);
  add_text(object, "model", debrief.model);
  add_oid(object, "root", debrief.root);
  add_oid(object, "head", debrief.head);
  object.add_json("origin", debrief.origin ? of(*debrief.origin) : kNull);
  add_count(object, "commits", debrief.commits);
  add_time(object, "began", debrief.began);
  add_time(object, "last", debrief.last);
  add_integer(object, "elapsed_ms", debrief.elapsed_ms);
  object.add_boolean("is_run", debrief.is_run);
  add_text(object, "last_words", debrief.last_words);
  object.add_json("termination", of(debrief.termination));
  object.add_json("verdict", debrief.verdict ? of(*debrief.verdict) : kNull);
  object.add_json("coverage", coverage(debrief));
  add_integer(object, "steps", debrief.steps);
  add_count(object, "answers", debrief.answers);
  object.add_json("tokens", debrief.cost.tokens() ? of(debrief.cost) : kNull);
  add_money(object, "cost_usd", debrief.cost.money);
  object.add_json("contradictions", write_strings(debrief.contradictions));
  add_count(object, "skipped", debrief.skipped);
  return object;
}

}  // namespace

std::string to_json(const PathEntry& entry) {
  Object object = positioned(entry.place);
  object.add_string("action", entry.action);
  object.add_string("decision", decision_of(entry));
  add_text(object, "tool", entry.tool);
  add_text(object, "target", entry.target);
  add_text(object, "from", entry.from);
  add_text(object, "to", entry.to);
  add_rationale(object, entry.rationale);
  object.add_string("reason_source", trace::name_of(entry.reason_source));
  object.add_json("outcome", entry.outcome ? of(*entry.outcome) : kNull);
  object.add_json("tokens", entry.cost.tokens() ? of(entry.cost) : kNull);
  add_money(object, "cost_usd", entry.cost.money);
  object.add_json("unknown_refs", write_strings(entry.unknown_refs));
  return object.write();
}

std::string to_json_summary(const Debrief& debrief) { return summary_of(debrief).write(); }

std::string to_json(const Debrief& debrief) {
  Object object = summary_of(debrief);
  Object left_out;
  const auto write = [](const auto& entry) { return of(entry); };
  add_list(object, left_out, "path", debrief.path, write);
  add_list(object, left_out, "assumptions", debrief.assumptions, write);
  add_list(object, left_out, "curator", debrief.curator, write);
  add_list(object, left_out, "alternatives", debrief.alternatives, write);
  add_list(object, left_out, "reactions", debrief.reactions, write);
  add_list(object, left_out, "unknown_refs", debrief.unknown_refs, write);
  add_list(object, left_out, "notes", debrief.notes, write);
  add_list(object, left_out, "agents", debrief.agents, write);
  object.add_json("left_out", left_out.write());
  object.add_json("rationale", reasons(debrief));
  object.add_json("calibration", calibration(debrief));
  object.add_json("tools", tools(debrief));
  object.add_json("totals", debrief.totals ? trace::to_json(*debrief.totals) : kNull);
  object.add_json("last_check", debrief.last_check ? last_check(*debrief.last_check) : kNull);
  return object.write();
}

}  // namespace spoor::report::debrief
