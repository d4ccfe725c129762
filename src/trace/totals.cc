#include "trace/totals.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "agent/numbers.h"
#include "trace/deriver.h"

namespace spoor::trace {
namespace {

using Count = std::optional<std::uint64_t>;

constexpr std::size_t kMostNames = 1'000;  // Tools, models and paths with a count.
constexpr const char* kOthers = "(others)";

void add(Count& sum, const Count& more) {
  if (!more) return;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum.value_or(0);
  sum = sum.value_or(0) + std::min(*more, room);
}

// Returns the trust in a sum after a number is added. `is_first`: nothing was added before.
Trust joined(Trust sum, Trust more, bool is_first) {
  if (is_first || sum == more) return more;
  if (sum == Trust::unknown || more == Trust::unknown) return Trust::partial;
  return sum == Trust::partial || more == Trust::partial ? Trust::partial : Trust::estimated;
}

void add(TokenSum& sum, const Spent& spent, bool is_first) {
  add(sum.input, spent.usage.input);
  add(sum.cached, spent.usage.cached);
  add(sum.cache_written, spent.usage.cache_written);
  add(sum.output, spent.usage.output);
  sum.trust = joined(sum.trust, spent.trust, is_first);
}

void add(CostSum& sum, const Priced& cost, bool is_first) {
  if (cost.money) sum.money = sum.money.value_or(llm::Money{}) + *cost.money;
  sum.trust = joined(sum.trust, cost.trust, is_first);
}

Priced price(const Spent& spent, const std::string& provider, const std::string& model,
             const llm::PriceList* prices) {
  if (spent.cost) return {spent.cost, spent.unknown_costs > 0 ? Trust::partial : Trust::reported};
  const llm::Price* list = prices != nullptr ? prices->find(provider, model) : nullptr;
  const auto cost = list != nullptr ? llm::cost_of(spent.usage, *list) : std::nullopt;
  if (!cost) return {};
  return {cost->amount, spent.trust == Trust::reported ? Trust::estimated : spent.trust};
}

template <class T>
T& entry_of(std::map<std::string, T>& map, const std::string& key) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  return map[map.size() < kMostNames ? key : kOthers];
}

// Adds what a called agent cost.
void add_agent(Totals& totals, const Spent& spent) {
  const bool is_first = totals.answers == 0 && totals.unsettled_requests == 0;
  if (spent.usage != llm::Usage()) add(totals.tokens, spent, is_first);
  add(totals.cost, {spent.cost, spent.cost ? Trust::reported : Trust::unknown}, is_first);
  if (spent.unknown_costs > 0) {
    totals.cost.trust = joined(totals.cost.trust, Trust::unknown, false);
  }
}

}  // namespace

void add_unsettled(Totals& totals, std::uint64_t requests) {
  if (requests == 0) return;
  totals.unsettled_requests += requests;
  totals.tokens.trust = joined(totals.tokens.trust, Trust::unknown, false);
  totals.cost.trust = joined(totals.cost.trust, Trust::unknown, false);
}

std::string unsettled_phrase(const Totals& totals) {
  const std::uint64_t count = totals.unsettled_requests;
  if (count == 0) return {};
  return fmt::format("{} begun and never settled (cost unknown)", agent::counted(count, "request"));
}

std::optional<std::uint64_t> TokenSum::sent() const {
  Count sum;
  for (const Count& each : {input, cached, cache_written}) trace::add(sum, each);
  return sum;
}

std::optional<std::uint64_t> TokenSum::all() const {
  Count sum = sent();
  trace::add(sum, output);
  return sum;
}

Priced price_of(const Message& message, const llm::PriceList* prices) {
  if (message.continues) return {};
  if (message.is_from_cache && !message.spent.cost) return {llm::Money{}, Trust::reported};
  return price(message.spent, message.provider, message.model, prices);
}

Priced price_of(const Compaction& compaction, const llm::PriceList* prices) {
  return price(compaction.spent, compaction.provider, compaction.model, prices);
}

Totals TotalsFold::totals() const {
  Totals all = totals_;
  for (const auto& [run, spent] : of_agents_) {
    if (!runs_.contains(run)) add_agent(all, spent);
  }
  return all;
}

Result<void> TotalsFold::add(const Step& step) {
  if (step.is_inherited) return {};
  if (!step.run.empty()) runs_.insert(step.run);
  if (const auto time = step.at.commit->time) {
    if (!totals_.first || *time < *totals_.first) totals_.first = time;
    if (!totals_.last || *totals_.last < *time) totals_.last = time;
  }
  if (const auto* request = std::get_if<Request>(&step.what)) {
    ++totals_.turns;
    if (!request->is_injected) ++totals_.requests;
  } else if (const auto* message = std::get_if<Message>(&step.what)) {
    if (!message->is_critic) totals_.turns += message->records.size() + message->reasoning.size();
    add_answer(*message);
  } else if (const auto* call = std::get_if<Call>(&step.what)) {
    return add_call(*call);
  } else if (const auto* compaction = std::get_if<Compaction>(&step.what)) {
    ++totals_.turns;
    if (compaction->spent.is_known()) {
      add_priced({.provider = compaction->provider,
                  .model = compaction->model,
                  .spent = compaction->spent});
    }
  } else if (const auto* failed = std::get_if<FailedRequest>(&step.what)) {
    totals_.turns += failed->turns;
    if (failed->lost > 0) {
      add_unsettled(totals_, failed->lost);
      model(failed->model).unsettled += failed->lost;
    } else {
      ++totals_.failed_requests;
      ++model(failed->model).failed;
      add_failed(*failed);
    }
  } else if (const auto* end = std::get_if<End>(&step.what)) {
    add_end(step.run, *end);
  } else if (std::holds_alternative<Context>(step.what) ||
             std::holds_alternative<Nudge>(step.what)) {
    ++totals_.turns;
  }
  return {};
}

// Counts a run that was resumed by its last end.
void TotalsFold::add_end(const std::string& run, const End& end) {
  if (end.stopped.empty()) return;
  std::string& word = ended_[run];
  if (!word.empty() && --totals_.ends[word] == 0) totals_.ends.erase(word);
  word = end.stopped == "planner" ? end.by : end.stopped;
  ++totals_.ends[word];
}

void TotalsFold::add_answer(const Message& message) {
  if (!message.is_plan) {
    for (const AskedCall& call : message.calls) count_asked(call);
  }
  if (!message.continues) add_priced(message);
}

ModelUse& TotalsFold::model(const std::string& name) {
  return entry_of(totals_.models, name.empty() ? "unknown" : name);
}

// Adds an answer, or the summary of a compaction, which a model also wrote.
void TotalsFold::add_priced(const Message& message) {
  add_spent(message.model, message.spent, price_of(message, prices_));
  ++model(message.model).answers;
  ++totals_.answers;
}

// Adds what a request cost that failed after its provider had counted tokens.
void TotalsFold::add_failed(const FailedRequest& failed) {
  if (!failed.spent.is_known()) return;
  add_spent(failed.model, failed.spent,
            price(failed.spent, failed.provider, failed.model, prices_));
}

// Adds to the sums of the model and of all, before the answer is counted.
void TotalsFold::add_spent(const std::string& name, const Spent& spent, const Priced& cost) {
  ModelUse& use = model(name);
  const bool is_first_of_model = use.answers == 0 && !use.cost.money;
  trace::add(use.tokens, spent, is_first_of_model);
  trace::add(use.cost, cost, is_first_of_model);
  const bool is_first =
      totals_.answers == 0 && totals_.unsettled_requests == 0 && !totals_.cost.money;
  trace::add(totals_.tokens, spent, is_first);
  trace::add(totals_.cost, cost, is_first);
}

void TotalsFold::count_asked(const AskedCall& call) {
  ToolUse& use = entry_of(totals_.tools, call.name);
  ++use.calls;
  ++totals_.calls;
  ++totals_.unanswered;
  if (call.reason.source == Reason::Source::none) return;
  ++use.explained;
  ++totals_.explained;
}

Result<void> TotalsFold::add_call(const Call& call) {
  if (call.is_planned) count_asked(call.asked);
  if (!call.result) return {};
  ++totals_.turns;
  if (!call.child_run.empty()) {
    const bool is_known = call.spent.is_known() || call.spent.unknown_costs > 0;
    if (is_known) of_agents_[call.child_run] = call.spent;
  } else if (call.spent.cost) {
    totals_.cost.money = totals_.cost.money.value_or(llm::Money{}) + *call.spent.cost;
    const bool is_whole = totals_.unsettled_requests == 0;
    if (totals_.cost.trust == Trust::unknown && is_whole) totals_.cost.trust = Trust::reported;
  }
  if (!call.is_asked()) return {};
  if (totals_.unanswered > 0) --totals_.unanswered;
  ToolUse& use = entry_of(totals_.tools, call.asked.name);
  if (call.outcome == Outcome::failed) ++totals_.failed, ++use.failed;
  if (call.outcome == Outcome::refused) ++totals_.refused, ++use.refused;
  for (const Edit& edit : TRY(edits_of(reader_, call))) {
    ++totals_.edits;
    totals_.added += edit.added.value_or(0);
    totals_.removed += edit.removed.value_or(0);
    if (!edit.added || !edit.removed) ++totals_.uncounted_edits;
    if (!edit.path.empty() && paths_.insert(edit.path).second) ++totals_.files;
  }
  return {};
}

Result<Totals> totals_of(const graph::Repository& repository, const std::vector<Oid>& tips,
                         const llm::PriceList* prices) {
  TotalsFold fold(repository.reader(), prices);
  TRY(derive_lines(repository, tips, {}, [&](const Step& step) { return fold.add(step); }));
  return fold.totals();
}

}  // namespace spoor::trace
