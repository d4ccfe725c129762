#include "api/commands/cost.h"

#include <algorithm>
#include <array>
#include <map>

#include "api/each_call.h"

namespace spoor::api {
namespace {

constexpr std::array kExamples = {
    Example{"spoor cost", "by day"},
    Example{"spoor cost --by model --since 2026-11-01", "by model, since a day"},
    Example{"spoor cost --by day --by model", "what each model took on each day"},
};

// Returns the row for a part of a session.
CostRow row_for(const CostQuery& query, const Session& session, const Spending& spending) {
  const auto is_asked = [&](const char* what) {
    return std::ranges::find(query.by, what) != query.by.end();
  };
  CostRow row;
  if (query.by.empty() || is_asked("day")) row.day = spending.day;
  if (is_asked("model")) row.model = spending.model;
  if (is_asked("project")) row.project = session.facts.project;
  if (is_asked("agent")) row.agent = session.agent;
  return row;
}

void add(CostRow& row, const Spending& spending) {
  row.answers += spending.answers;
  row.input_tokens += spending.input_tokens.value_or(0);
  row.cache_read_tokens += spending.cache_read_tokens.value_or(0);
  row.cache_write_tokens += spending.cache_write_tokens.value_or(0);
  row.output_tokens += spending.output_tokens.value_or(0);
  if (spending.cost_usd) row.cost_usd = row.cost_usd.value_or(llm::Money{}) + *spending.cost_usd;
  row.is_complete = row.is_complete && spending.is_complete;
}

// Compares by tokens if no cost is known.
std::pair<llm::Money, std::uint64_t> weight_of(const CostRow& row) {
  return {row.cost_usd.value_or(llm::Money{}),
          row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens};
}

Result<void> run(Context& context, const CostQuery& query, const Sink<CostRow>& sink) {
  using Key = std::array<std::optional<std::string>, 4>;
  std::map<Key, CostRow> rows;
  const SessionFilter filter{{}, query.since, query.project, query.agent};
  const std::string since = query.since ? query.since->text().substr(0, 10) : std::string();
  for (const Session& session : TRY(find_sessions(context, filter))) {
    std::vector<Key> counted;
    for (const Spending& spending : session.facts.spendings) {
      const bool is_nothing = spending.is_complete && spending.answers == 0 &&
                              spending.output_tokens.value_or(0) == 0 &&
                              spending.input_tokens.value_or(0) == 0 && !spending.cost_usd;
      if (is_nothing) continue;  // A model with only failed requests.
      if (spending.day < since || spending.model.find(query.model) == std::string::npos) continue;
      const CostRow empty = row_for(query, session, spending);
      const Key key = {empty.day, empty.model, empty.project, empty.agent};
      CostRow& row = rows.try_emplace(key, empty).first->second;
      add(row, spending);
      if (std::ranges::find(counted, key) != counted.end()) continue;
      counted.push_back(key);
      ++row.sessions;
    }
  }
  std::vector<CostRow> sorted;
  sorted.reserve(rows.size());
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, [&](const CostRow& a, const CostRow& b) {
    return std::pair(a.day, weight_of(a)) > std::pair(b.day, weight_of(b));
  });
  for (const CostRow& row : sorted) {
    if (!sink(row)) break;
  }
  return {};
}

}  // namespace

constexpr Listing<CostQuery, CostRow> kCost{
    .name = "cost",
    .summary = "Add up tokens and money by day, model, project or agent",
    .rows = "costs",
    .group = Group::read,
    .details =
        "A cost is the one that the source states, else tokens at list price (to set\n"
        "prices, see 'spoor help models'). '≥' marks a sum of which a part is unknown. Days\n"
        "are in UTC.",
    .examples = kExamples,
    .run = run,
};

}  // namespace spoor::api
