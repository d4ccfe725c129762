#include "agent/debrief/json.h"

#include <algorithm>

#include <fmt/format.h>

#include "compile/json/writer.h"

namespace spoor::agent::debrief {
namespace {

using compile::json::kMaxExactInteger;
using compile::json::Object;
using compile::json::write_array;
using compile::json::write_strings;

constexpr const char* kNull = "null";

std::int64_t exact(std::uint64_t count) {
  return static_cast<std::int64_t>(std::min(count, static_cast<std::uint64_t>(kMaxExactInteger)));
}
std::int64_t exact(std::int64_t number) {
  return std::clamp(number, -kMaxExactInteger, kMaxExactInteger);
}

void add_count(Object& to, const char* key, std::uint64_t count) {
  to.add_integer(key, exact(count));
}

void add_count(Object& to, const char* key, const std::optional<std::uint64_t>& count) {
  count ? to.add_integer(key, exact(*count)) : to.add_json(key, kNull);
}

void add_text(Object& to, const char* key, const std::string& text) {
  text.empty() ? to.add_json(key, kNull) : to.add_string(key, text);
}

void add_oid(Object& to, const char* key, const std::optional<store::Oid>& oid) {
  oid ? to.add_string(key, oid->hex()) : to.add_json(key, kNull);
}

void add_time(Object& to, const char* key, const std::optional<store::Timestamp>& time) {
  time ? to.add_string(key, time->text()) : to.add_json(key, kNull);
}

void add_money(Object& to, const char* key, const std::optional<llm::Money>& money) {
  money ? to.add_raw_token(key, llm::dollars(*money)) : to.add_json(key, kNull);
}

// A decimal number of the record, which may be anything.
void add_number(Object& to, const char* key, const std::string& number) {
  const auto read = compile::json::parse(number);
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

Object placed(const Place& place) {
  Object object;
  object.add_integer("step", exact(place.step));
  add_oid(object, "hash", place.commit);
  add_time(object, "time", place.time);
  return object;
}

std::string of(const Outcome& outcome) {
  Object object;
  object.add_boolean("is_error", outcome.is_error);
  object.add_boolean("is_interrupted", outcome.is_interrupted);
  object.add_string("said", outcome.said);
  outcome.exit_code ? object.add_integer("exit_code", exact(*outcome.exit_code))
                    : object.add_json("exit_code", kNull);
  add_oid(object, "hash", outcome.commit);
  return object.write();
}

std::string of(const Cost& cost) {
  Object object;
  add_count(object, "input", cost.input);
  add_count(object, "output", cost.output);
  return object.write();
}

std::string of(const PathEntry& entry) { return to_json(entry); }

std::string of(const Assumption& entry) {
  Object object = placed(entry.place);
  object.add_string("assumption", entry.assumption);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const CuratorAction& entry) {
  Object object = placed(entry.place);
  object.add_string("action", entry.action);
  object.add_string("target", entry.target);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const Weighing& entry) {
  Object object = placed(entry.place);
  object.add_string("chosen", entry.chosen);
  object.add_json("rejected", alternatives(entry.rejected));
  return object.write();
}

std::string of(const Reaction& entry) {
  Object object = placed(entry.place);
  object.add_string("action", entry.action);
  object.add_string("what", entry.what);
  add_rationale(object, entry.rationale);
  return object.write();
}

std::string of(const UnknownRef& entry) {
  Object object = placed(entry.place);
  object.add_string("ref", entry.ref);
  add_count(object, "call", entry.call);
  return object.write();
}

std::string of(const Note& entry) {
  Object object = placed(entry.place);
  object.add_string("word", entry.word);
  object.add_string("text", entry.text);
  return object.write();
}

// The list, and where and how many were left out of it, if any were.
template <class T>
void add_list(Object& to, Object& left_out, const char* key, const Kept<T>& list) {
  std::vector<std::string> values;
  list.visit([&](const T& entry) { values.push_back(of(entry)); },
             [&](std::uint64_t count) {
               Object gap;
               gap.add_integer("after", exact(std::uint64_t{list.head().size()}));
               add_count(gap, "count", count);
               left_out.add_json(key, gap.write());
             });
  to.add_json(key, write_array(values));
}

std::string of(const Termination& end) {
  Object object = placed(end.place);
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
  object.add_integer("duration_ms", exact(verdict.elapsed_ms));
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
    values.push_back(object.write());
  }
  return write_array(values);
}

std::string reasons(const Debrief& debrief) {
  std::vector<std::string> values;
  for (const DecisionReason& reason : reasons_of(debrief)) {
    Object object;
    object.add_integer("iteration", exact(reason.step));
    object.add_string("decision", reason.decision);
    add_text(object, "tool_name", reason.tool);
    object.add_json("rationale", write_rationale(reason.rationale));
    values.push_back(object.write());
  }
  return write_array(values);
}

std::string last_check(const Check& check) {
  Object object = placed(check.place);
  object.add_string("tool", check.tool);
  object.add_json("outcome", of(check.outcome));
  return object.write();
}

std::string of(const Origin& origin) {
  Object object;
  object.add_string("run", origin.run);
  object.add_integer("from_step", exact(origin.from_step));
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
  object.add_integer("elapsed_ms", exact(debrief.elapsed_ms));
  object.add_boolean("is_run", debrief.is_run);
  add_text(object, "last_words", debrief.last_words);
  object.add_json("termination", of(debrief.termination));
  object.add_json("verdict", debrief.verdict ? of(*debrief.verdict) : kNull);
  object.add_json("coverage", coverage(debrief));
  object.add_integer("steps", exact(debrief.steps));
  add_count(object, "answers", debrief.answers);
  object.add_json("tokens", debrief.cost.tokens() ? of(debrief.cost) : kNull);
  add_money(object, "cost_usd", debrief.cost.money);
  object.add_json("contradictions", write_strings(debrief.contradictions));
  add_count(object, "skipped", debrief.skipped);
  return object;
}

}  // namespace

std::string to_json(const PathEntry& entry) {
  Object object = placed(entry.place);
  object.add_string("action", entry.action);
  object.add_string("decision", decision_of(entry));
  add_text(object, "tool", entry.tool);
  add_text(object, "from", entry.from);
  add_text(object, "to", entry.to);
  add_rationale(object, entry.rationale);
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
  add_list(object, left_out, "path", debrief.path);
  add_list(object, left_out, "assumptions", debrief.assumptions);
  add_list(object, left_out, "curator", debrief.curator);
  add_list(object, left_out, "alternatives", debrief.alternatives);
  add_list(object, left_out, "reactions", debrief.reactions);
  add_list(object, left_out, "unknown_refs", debrief.unknown_refs);
  add_list(object, left_out, "notes", debrief.notes);
  object.add_json("left_out", left_out.write());
  object.add_json("rationale", reasons(debrief));
  object.add_json("calibration", calibration(debrief));
  object.add_json("tools", tools(debrief));
  object.add_json("last_check", debrief.last_check ? last_check(*debrief.last_check) : kNull);
  return object.write();
}

}  // namespace spoor::agent::debrief
