#include "agent/record/answer_facts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/registry.h"
#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/commit_reply.h"

namespace spoor::agent::record {
namespace {

using compile::Turn;
using compile::Type;

// Returns the reasoning that was committed right before an answer.
Result<std::string> thinking_before(const graph::Repository& repository,
                                    const compile::Oid& answer) {
  std::string thinking;
  auto commit = TRY(repository.reader().commit(answer));
  while (!commit->parents.empty()) {
    commit = TRY(repository.reader().commit(commit->parents.front()));
    if (commit->op != store::Op::append || commit->type != Type::reasoning) break;
    const std::string text = *TRY(compile::text_of(repository.reader(), *commit));
    thinking = thinking.empty() ? text : fmt::format("{}\n\n{}", text, thinking);
  }
  return thinking;
}

std::string tokens_of(const llm::Spending& spent) {
  json::Object tokens;
  const auto add = [&](std::string_view key, const llm::TokenSum& sum) {
    const auto most = static_cast<std::uint64_t>(json::kMaxExactInteger);
    if (sum.known > 0)
      tokens.add_integer(key, static_cast<std::int64_t>(std::min(sum.known, most)));
  };
  add("input", spent.input);
  add("cached", spent.cached);
  add("cache_written", spent.cache_written);
  add("output", spent.output);
  add("reasoning", spent.reasoning);
  return tokens.write();
}

// A model may use any text as a tool's name; facts contain only valid ids.
std::string_view id_or_none(std::string_view id) { return is_tool_id(id) ? id : "?"; }

constexpr std::int64_t kMostUnknown = 1'000;  // A store may contain any number.

// Returns `[obs:3 notes.search]` and a line end, or ` error: ` for a failure.
std::string label(const Observed& observed, std::uint64_t number) {
  return fmt::format("[obs:{} {}]{}", number, id_or_none(observed.tool),
                     observed.result.is_error ? " error: " : "\n");
}

}  // namespace

Result<Answer> read_answer(const graph::Repository& repository, const compile::Oid& commit) {
  Answer answer;
  answer.commit = commit;
  const Turn turn = TRY(graph::read_turn(repository.reader(), commit));
  answer.content.text = turn.text;
  answer.content.thinking = TRY(thinking_before(repository, commit));
  if (turn.fields.tool_calls) answer.content.calls = *turn.fields.tool_calls;
  answer.content.outcome =
      llm::outcome_of(turn.facts.get(fact::finish_reason), turn.facts.get(fact::refusal));
  answer.rationale = read_rationales(turn.fields.rationale);
  return answer;
}

namespace {

llm::Usage usage_of(const compile::Facts& facts) {
  const std::string counts = facts.json(fact::tokens);
  const auto tokens = json::parse(counts);
  return tokens ? read_tokens(tokens->root()) : llm::Usage{};
}

Result<compile::Facts> facts_of(const graph::Repository& repository, const compile::Oid& commit) {
  return compile::read_facts(TRY(repository.reader().commit(commit))->meta);
}

std::optional<llm::Cost> cost_of(const compile::Facts& facts) {
  const auto amount = llm::parse_dollars(facts.json(fact::cost_usd));
  if (!amount) return std::nullopt;
  return llm::Cost{*amount, facts.get(fact::unknown_costs).value_or(0) > 0};
}

}  // namespace

void book_again(const compile::Facts& facts, llm::CostTracker& tracker) {
  llm::Booking booking{.model = facts.get(fact::provider) + '/' + facts.get(fact::model)};
  if (facts.get(fact::from_cache)) booking.by = llm::Booking::By::before;
  tracker.add(usage_of(facts), cost_of(facts), booking);
}

void book_failed_again(const compile::Facts& facts, llm::CostTracker& tracker) {
  if (facts.get(fact::failure) == llm::kLost) {
    const llm::Booking booking{.model = facts.get(fact::provider) + '/' + facts.get(fact::model)};
    constexpr std::int64_t kMost = 1'000;  // A store may contain any number.
    const std::int64_t sent = std::min(facts.get(fact::attempts).value_or(1), kMost);
    for (std::int64_t i = 0; i < sent; ++i) tracker.add(llm::Usage{}, std::nullopt, booking);
    return;
  }
  const bool took = !facts.json(fact::tokens).empty() || !facts.json(fact::usage).empty();
  if (took) book_again(facts, tracker);
}

void book_tool_again(const compile::Facts& facts, llm::CostTracker& tracker) {
  const llm::Usage usage = usage_of(facts);
  const auto cost = cost_of(facts);
  const llm::Booking booking{.model = "tool"};
  const std::int64_t unknown =
      std::clamp<std::int64_t>(facts.get(fact::unknown_costs).value_or(0), 0, kMostUnknown);
  if (usage != llm::Usage{}) {
    const bool is_whole = cost || unknown == 0;
    tracker.add(usage, is_whole ? cost : llm::Cost{}, booking);
  } else if (cost) {
    tracker.add(*cost, booking);
  }
  for (std::int64_t i = 0; i < unknown; ++i) tracker.add(llm::Usage{}, std::nullopt, booking);
}

Result<void> book_paid_again(const graph::Repository& repository, const Recording& recording,
                             llm::CostTracker& tracker) {
  for (const compile::Oid& answer : recording.cut_off) {
    book_again(TRY(facts_of(repository, answer)), tracker);
  }
  for (const compile::Oid& failed : recording.failed) {
    book_failed_again(TRY(facts_of(repository, failed)), tracker);
  }
  return {};
}

Result<void> book_all_again(const graph::Repository& repository, const Recording& recording,
                            llm::CostTracker& tracker) {
  using Kind = Recording::Event::Kind;
  for (const auto* events : {&recording.events, &recording.critic}) {
    for (const Recording::Event& event : *events) {
      if (event.kind == Kind::answer) {
        book_again(TRY(facts_of(repository, event.commit)), tracker);
      } else if (event.kind == Kind::observation) {
        book_tool_again(TRY(facts_of(repository, event.commit)), tracker);
      }
    }
  }
  return book_paid_again(repository, recording, tracker);
}

Turn observation_turn(const Observed& observed, std::uint64_t number) {
  Turn turn;
  turn.facts = observed.result.facts;
  turn.attach = observed.result.attach;
  if (observed.call_id.empty()) {
    turn.type = Type::user;
    turn.text = label(observed, number) + observed.result.text;
    turn.facts.set(fact::mark, "observation");
    if (is_tool_id(observed.tool)) turn.facts.set(fact::tool, observed.tool);
    if (observed.result.is_error) turn.facts.set(fact::is_error, true);
  } else {
    turn.type = Type::tool;
    turn.text = observed.result.text;
    if (observed.result.is_error) turn.text = "error: " + turn.text;
    turn.fields.call_id = observed.call_id;
    turn.fields.name = observed.called_as;
    if (is_tool_id(observed.tool)) turn.facts.set(fact::tool, observed.tool);
    turn.fields.is_error = observed.result.is_error;
    turn.facts.set(fact::outcome, observed.result.is_error ? "error" : "ok");
  }
  turn.facts.set(fact::call, observed.call);
  if (observed.result.is_json) turn.facts.set(fact::is_json, true);
  if (observed.spent.cost > llm::Money{}) {
    turn.facts.set(fact::cost_usd, dollars(observed.spent.cost));
  }
  const auto most = static_cast<std::uint64_t>(kMostUnknown);
  const auto unknown = observed.spent.unknown_costs + observed.spent.lower_bounds;
  if (unknown > 0) {
    turn.facts.set(fact::unknown_costs, static_cast<std::int64_t>(std::min(unknown, most)));
  }
  if (observed.spent.tokens() > 0) turn.facts.set(fact::tokens, tokens_of(observed.spent));
  return turn;
}

Observed observed_of(const Turn& turn, std::int64_t step, std::int64_t call) {
  Observed observed{.step = step, .call = call};
  ToolResult& result = observed.result;
  result.text = turn.text;
  result.facts = turn.facts;
  result.attach = turn.attach;
  result.is_json = turn.facts.get(fact::is_json);
  std::string_view before;
  if (turn.type == Type::tool) {
    observed.called_as = turn.fields.name;
    observed.tool = turn.facts.get(fact::tool);
    if (observed.tool.empty()) observed.tool = observed.called_as;
    observed.call_id = turn.fields.call_id;
    result.is_error = turn.fields.is_error;
    before = "error: ";
  } else {
    observed.tool = turn.facts.get(fact::tool);
    result.is_error = turn.facts.get(fact::is_error);
    const std::size_t end = turn.text.find(']');
    result.text.erase(0, end == std::string::npos ? 0 : end + 1);
    before = result.is_error ? " error: " : "\n";
  }
  const bool is_labelled = turn.type == Type::user || result.is_error;
  if (is_labelled && result.text.starts_with(before)) result.text.erase(0, before.size());
  return observed;
}

}  // namespace spoor::agent::record
