#include "report/phrases.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "report/debrief/phrases.h"
#include "report/event/event.h"

namespace spoor::report {

namespace {

using agent::counted;
using agent::grouped;

std::string with_failed(std::uint64_t count, std::uint64_t failed, const char* what) {
  std::string text = counted(count, what);
  if (failed > 0) text += fmt::format(", {} failed", grouped(failed));
  return text;
}

}  // namespace

std::string actions_of(const Report& report) {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, count] : report.actions) sorted.emplace_back(count, name);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, name] : sorted) {
    text += fmt::format("{}{} ×{}", text.empty() ? "" : ", ", name, count);
  }
  return text;
}

std::string diff_stat(const FileTouched& file) {
  const bool is_known = file.is_counted || file.lines_added > 0 || file.lines_removed > 0;
  if (!is_known) return "size unknown";
  std::string text = fmt::format("+{} −{}", file.lines_added, file.lines_removed);
  if (!file.is_counted) text += " and more";
  return text;
}

std::string time_of_day(const std::string& timestamp) {
  constexpr std::size_t kDay = 11;  // `2026-11-21T`
  constexpr std::size_t kTime = 8;  // `20:13:24`
  return timestamp.size() > kDay + kTime ? timestamp.substr(kDay, kTime) : timestamp;
}

std::string_view label_of(const TimelineEntry& entry) {
  return entry.kind == EventKind::end ? "end" : name_of(entry.type);
}

std::string spent_of(const TimelineEntry& entry) {
  std::string text;
  if (entry.input_tokens || entry.output_tokens) {
    const std::int64_t sum = entry.input_tokens.value_or(0) + entry.output_tokens.value_or(0);
    text = grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0))) + " tok";
  }
  const std::string money = money_of(entry.cost, entry.is_cost_estimated);
  if (!money.empty()) text += (text.empty() ? "" : ", ") + money;
  return text;
}

std::string money_of(const std::optional<llm::Money>& cost, bool is_estimated) {
  if (!cost) return {};
  return (is_estimated ? "≈$" : "$") + llm::dollars(*cost);
}

bool is_estimated(const trace::CostSum& cost) {
  return cost.money && cost.trust != trace::Trust::reported;
}

std::string cost_phrase(const trace::CostSum& cost) {
  std::string text = money_of(cost.money, is_estimated(cost));
  if (!is_estimated(cost)) return text;
  const bool is_whole = cost.trust == trace::Trust::estimated;
  return text + (is_whole ? " (estimated from list prices)" : " (estimated from partial counts)");
}

std::string tokens_of(const std::optional<std::uint64_t>& tokens) {
  return tokens ? grouped(*tokens) : kUnknown;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Report& report) {
  const debrief::Debrief& debrief = report.debrief;
  std::string tokens = kUnknown;
  const trace::Totals& totals = report.totals;
  if (totals.tokens.all()) {
    tokens = fmt::format("{} in, {} out", tokens_of(totals.tokens.sent()),
                         tokens_of(totals.tokens.output));
    if (totals.tokens.trust == trace::Trust::partial) tokens += " (partial counts)";
  }
  if (totals.cost.money) tokens += ", " + cost_phrase(totals.cost);
  std::string files;
  if (!report.files.empty()) files = counted(report.files.size(), "file");
  if (report.hidden_edits > 0) {
    files += (files.empty() ? "" : ", and ") + counted(report.hidden_edits, "edit") +
             " whose path is not shown";
  }
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Goal", debrief.goal},
      {"Verdict", debrief::verdict_of(debrief)},
      {"Agent", report.agent_id},
      {"Session", report.session_id},
      {"Environment", report.environment == kUnknown ? "" : report.environment},
      {"Actions", actions_of(report)},
      {"Files", files},
      {"Commands", report.commands_run > 0
                       ? with_failed(report.commands_run, report.commands_failed, "command")
                       : ""},
      {"Tests",
       report.tests_run > 0 ? with_failed(report.tests_run, report.tests_failed, "run") : ""},
      {"Refused", totals.refused > 0 ? counted(totals.refused, "call") : ""},
      {"Tokens", tokens},
      {"Unsettled", trace::unsettled_phrase(totals)},
      {"Known", report.coverage.imported > 0 ? trace::describe(report.coverage) : ""},
      {"Trace", report.trace_id},
  };
  if (debrief.began) facts.emplace_back("Began", debrief.began->text());
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace spoor::report
