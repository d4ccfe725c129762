#include "report/debrief/trace_reader.h"
#include "report/debrief/views.h"
#include "tests/vectors_runner/rationale_kind.h"

namespace spoor::vectors {
namespace {

using namespace report::debrief;

Json list_of(const std::vector<agent::Alternative>& alternatives) {
  Json list = Json::array();
  for (const auto& [option, rejected_because] : alternatives) {
    list.push_back({{"option", option}, {"rejectedBecause", rejected_because}});
  }
  return list;
}

void add_rationale(Json& to, const std::optional<agent::Rationale>& rationale) {
  if (rationale) to["rationale"] = json_of(*rationale);
}

// The value that vectors speak of: less than the library gives.
Json value_of(const Debrief& debrief) {
  Json out = {{"runId", debrief.run_id}, {"goal", debrief.goal}};
  for (const char* list : {"path", "assumptions", "curatorActions", "alternatives"}) {
    out[list] = Json::array();
  }
  const auto add = [&out](const char* list, const auto& from, Json entry) {
    entry["iter"] = from.place.step;
    if constexpr (requires { from.rationale; }) add_rationale(entry, from.rationale);
    out[list].push_back(std::move(entry));
  };
  debrief.path.visit([&](const PathEntry& entry) {
    add("path", entry, {{"action", entry.action}});
  });
  debrief.assumptions.visit([&](const Assumption& entry) {
    add("assumptions", entry, {{"assumption", entry.assumption}});
  });
  debrief.curator.visit([&](const CuratorAction& entry) {
    add("curatorActions", entry, {{"action", entry.action}, {"targetRef", entry.target}});
  });
  debrief.alternatives.visit([&](const Weighing& entry) {
    add("alternatives", entry, {{"chosen", entry.chosen}, {"rejected", list_of(entry.rejected)}});
  });
  out["termination"] = {{"by", debrief.termination.by}};
  add_rationale(out["termination"], debrief.termination.rationale);
  if (const auto& verdict = debrief.verdict) {
    out["verdict"] = {{"status", verdict->status},
                      {"tokens", verdict->tokens},
                      {"durationMs", verdict->elapsed_ms}};
  }
  return out;
}

std::string trace_of(const Json& input) {
  require(input.size() == 1, "a debrief has either events or jsonl");
  if (input.contains("jsonl")) return text_at(input, "jsonl");
  std::string lines;
  for (const Json& event : input.at("events")) lines += event.dump() + "\n";
  return lines;
}

std::vector<std::string> play_debrief(const Json& input, const Json& expect) {
  const Debrief debrief = debrief_of_trace(trace_of(input));
  const std::string text = classic_text(debrief);
  std::vector<std::string> problems;
  compare(problems, "debrief", expect["debrief"], value_of(debrief));
  if (expect.contains("text")) compare(problems, "text", expect["text"], text);
  if (expect.contains("skipped")) compare(problems, "skipped", expect["skipped"], debrief.skipped);
  for (const Json& part : expect.value("text_contains", Json::array())) {
    if (text.find(part.get<std::string>()) == std::string::npos) {
      problems.push_back("text: expected " + shown(part) + " in " + shown(text));
    }
  }
  return problems;
}

}  // namespace

const RationaleKind kDebriefKind{
    "debrief",   {}, {"events", "jsonl"}, {"debrief"}, {"text", "text_contains", "skipped"},
    play_debrief};

}  // namespace spoor::vectors
