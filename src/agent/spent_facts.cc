#include "agent/spent_facts.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "agent/numbers.h"
#include "llm/source_usage.h"

namespace spoor::agent {
namespace {

using Count = std::optional<std::uint64_t>;

Count sum_of(std::initializer_list<Count> counts) {
  Count sum;
  for (const Count& count : counts) {
    if (!count) continue;
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum.value_or(0);
    sum = sum.value_or(0) + std::min(*count, room);
  }
  return sum;
}

}  // namespace

Count TokenCost::tokens() const { return sum_of({input, output}); }

void add(TokenCost& sum, const TokenCost& more) {
  sum.input = sum_of({sum.input, more.input});
  sum.output = sum_of({sum.output, more.output});
  if (more.money) sum.money = sum.money.value_or(llm::Money{}) + *more.money;
}

llm::Usage read_tokens(const json::Value& tokens) {
  return {.input = count_of(tokens.find("input")),
          .cached = count_of(tokens.find("cached")),
          .cache_written = count_of(tokens.find("cache_written")),
          .output = count_of(tokens.find("output")),
          .reasoning = count_of(tokens.find("reasoning")),
          .raw = {}};
}

Count request_tokens(const llm::Usage& usage) {
  return sum_of({usage.input, usage.cached, usage.cache_written});
}

llm::Usage read_usage(const compile::FactsView& facts) {
  if (const auto tokens = facts.json(fact::tokens)) return read_tokens(tokens);
  return llm::read_source_usage(facts.json(fact::usage)).usage;
}

std::optional<llm::Money> read_money(const compile::FactsView& facts) {
  if (const auto ours = llm::parse_dollars(facts.json(fact::cost_usd).raw())) return ours;
  return llm::read_source_usage(facts.json(fact::usage)).cost;
}

}  // namespace spoor::agent
