#include "llm/cost_tracker.h"

#include <limits>

namespace spoor::llm {
namespace {

// Saturates, because a provider's count may have any value.
std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

void add_count(TokenSum& sum, const std::optional<std::uint64_t>& count) {
  if (count) {
    sum.known = capped_sum(sum.known, *count);
  } else {
    ++sum.unknown;
  }
}

void add_usage(Spending& spending, const Usage& usage) {
  ++spending.calls;
  add_count(spending.input, usage.input);
  add_count(spending.cached, usage.cached);
  add_count(spending.cache_written, usage.cache_written);
  add_count(spending.output, usage.output);
  add_count(spending.reasoning, usage.reasoning);
}

void add_cost(Spending& spending, const std::optional<Cost>& cost) {
  if (!cost) {
    ++spending.unknown_costs;
    return;
  }
  spending.cost += cost->amount;
  if (cost->is_lower_bound) ++spending.lower_bounds;
}

// Books a call that is counted elsewhere. Returns false if it must be counted here.
bool is_counted_elsewhere(Spending& spending, Booking::By by) {
  if (by == Booking::By::child) ++spending.booked_by_child;
  if (by == Booking::By::before) ++spending.kept_replies;
  return by != Booking::By::here;
}

TokenSum difference(const TokenSum& now, const TokenSum& then) {
  return {now.known - then.known, now.unknown - then.unknown};
}

}  // namespace

std::uint64_t Spending::tokens() const {
  return capped_sum(capped_sum(input.known, cached.known),
                    capped_sum(cache_written.known, output.known));
}

template <class Change>
void CostTracker::change(const std::string& model, Change change) {
  const std::scoped_lock lock(mutex_);
  change(total_);
  change(by_model_[model]);
}

void CostTracker::add(const Usage& usage, const std::optional<Cost>& cost, const Booking& booking) {
  change(booking.model, [&](Spending& spending) {
    if (is_counted_elsewhere(spending, booking.by)) return;
    add_usage(spending, usage);
    add_cost(spending, cost);
  });
}

void CostTracker::add(const Cost& cost, const Booking& booking) {
  change(booking.model, [&](Spending& spending) {
    if (!is_counted_elsewhere(spending, booking.by)) add_cost(spending, cost);
  });
}

Spending CostTracker::total() const {
  const std::scoped_lock lock(mutex_);
  return total_;
}

std::map<std::string, Spending> CostTracker::by_model() const {
  const std::scoped_lock lock(mutex_);
  return by_model_;
}

Spending CostTracker::since(const Spending& mark) const {
  const Spending now = total();
  Spending spent;
  spent.calls = now.calls - mark.calls;
  spent.input = difference(now.input, mark.input);
  spent.cached = difference(now.cached, mark.cached);
  spent.cache_written = difference(now.cache_written, mark.cache_written);
  spent.output = difference(now.output, mark.output);
  spent.reasoning = difference(now.reasoning, mark.reasoning);
  spent.cost = now.cost - mark.cost;
  spent.unknown_costs = now.unknown_costs - mark.unknown_costs;
  spent.lower_bounds = now.lower_bounds - mark.lower_bounds;
  spent.kept_replies = now.kept_replies - mark.kept_replies;
  spent.booked_by_child = now.booked_by_child - mark.booked_by_child;
  return spent;
}

}  // namespace spoor::llm
