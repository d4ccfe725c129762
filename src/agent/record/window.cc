#include "agent/record/window.h"
#include "compile/turn.h"

#include <algorithm>
#include <vector>

namespace spoor::agent::record {
namespace {

using compile::Message;
using compile::Prompt;

// Returns the index of the newest exchange.
template <class Messages, class IsAnswer>
std::size_t newest_exchange(const Messages& messages, IsAnswer is_answer) {
  std::size_t newest = messages.size();
  while (newest > 0 && !is_answer(messages[newest - 1])) --newest;
  return newest > 0 ? newest - 1 : 0;
}

// Returns a budget with which the first turn is a person's: a provider may refuse another, as it
// does an answer whose question was left out. `shown` is the prompt of `budget`.
std::int64_t from_a_person(const Prompt& shown, std::int64_t budget) {
  std::uint64_t kept = 0;
  bool has_begun = false;
  bool is_cut = false;
  for (const Message& message : shown.messages) {
    const bool is_system = compile::is_instruction_role(message.role);
    has_begun = has_begun || message.role == "user";
    if (is_system || has_begun || is_pinned(message)) {
      kept += message.tokens();
    } else {
      is_cut = true;
    }
  }
  return is_cut && has_begun ? static_cast<std::int64_t>(kept) : budget;
}

// Returns a budget with which whole turns are kept: see fit_at(). `whole` is the prompt without a
// budget.
Result<std::int64_t> keep_turns(const graph::Repository& repository, const compile::Oid& commit,
                                const Prompt& whole, const Fit& fit, bool in_blocks) {
  std::optional<Prompt> cut;
  if (static_cast<std::int64_t>(whole.tokens) > fit.budget) {
    cut = TRY(repository.compile(commit, options_of(fit)));
  }
  const Prompt& shown = cut ? *cut : whole;
  if (shown.left_out.empty()) return fit.budget;
  // Turns are left out oldest first: if any unpinned answer is shown, so is the newest exchange.
  const bool shows_answer = std::any_of(
      shown.messages.begin(), shown.messages.end(),
      [](const Message& message) { return message.role == "assistant" && !is_pinned(message); });
  if (shows_answer) return in_blocks ? from_a_person(shown, fit.budget) : fit.budget;

  const std::size_t newest = newest_exchange(
      whole.messages, [](const Message& message) { return message.role == "assistant"; });
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < whole.messages.size(); ++i) {
    const Message& message = whole.messages[i];
    if (i >= newest || is_pinned(message)) needed += message.tokens();
  }
  return std::max(fit.budget, static_cast<std::int64_t>(needed));
}

// Returns the tokens from which on a prompt is full. A summary is asked for in a request of its
// own, which shows the full prompt: it must fit, too.
std::int64_t high_water(const Window& window) {
  return window.when_full == WhenFull::compact ? window.tokens * 4 / 5 : window.tokens;
}

std::vector<Weight> weights_of(const Prompt& whole, const Prompt& cleared) {
  std::vector<Weight> weights;
  weights.reserve(whole.messages.size());
  for (std::size_t i = 0; i < whole.messages.size(); ++i) {
    const Message& message = whole.messages[i];
    weights.push_back({.tokens = message.tokens(),
                       .cleared = std::min(message.tokens(), cleared.messages[i].tokens()),
                       .is_pinned = is_pinned(message),
                       .is_answer = message.role == "assistant"});
  }
  return weights;
}

}  // namespace

bool is_pinned(const Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(), [](const compile::Part& part) {
    return part.priority == store::Priority::pinned;
  });
}

Fit fit(std::span<const Weight> messages, const Window& window) {
  Fit fit{.budget = window.tokens};
  std::int64_t all = 0;
  for (const Weight& message : messages) all += static_cast<std::int64_t>(message.tokens);
  const std::int64_t most = high_water(window);
  if (all <= most || window.when_full == WhenFull::drop_each) return fit;

  const std::int64_t block = std::max<std::int64_t>(1, window.tokens * 2 / 5);
  const auto blocks_over = [block](std::int64_t tokens, std::int64_t limit) {
    return std::max<std::int64_t>(0, tokens - limit + block - 1) / block;
  };
  const std::int64_t wanted = blocks_over(all, most);
  const auto saved = [&](std::size_t i) {
    return static_cast<std::int64_t>(messages[i].tokens - messages[i].cleared);
  };
  const std::size_t newest =
      newest_exchange(messages, [](const Weight& message) { return message.is_answer; });
  std::int64_t clearable = 0;
  for (std::size_t i = 0; i < newest; ++i) clearable += saved(i);
  const bool clears = window.when_full != WhenFull::drop;
  const std::int64_t by_clearing = clears ? std::min(wanted, clearable / block) : 0;
  std::int64_t freed = 0;
  std::size_t end = 0;  // Results before it are shortened.
  while (freed < by_clearing * block) freed += saved(end++);
  if (end > 0) fit.clear_results_after = static_cast<std::int64_t>(messages.size() - end);
  if (by_clearing == wanted) return fit;
  const std::int64_t rest = all - freed;
  const std::int64_t left_out = blocks_over(rest, window.tokens) * block;
  if (left_out > 0) fit.budget = std::max<std::int64_t>(0, rest - left_out);
  std::int64_t loose = 0;  // Tokens that a summary replaces, apart from the newest exchange.
  for (std::size_t i = 0; i < newest; ++i) {
    const Weight& message = messages[i];
    if (message.is_pinned) continue;
    loose += static_cast<std::int64_t>(i < end ? message.cleared : message.tokens);
  }
  fit.needs_summary = window.when_full == WhenFull::compact && loose >= block;
  return fit;
}

Result<Fit> fit_at(const graph::Repository& repository, const compile::Oid& commit,
                   const Window& window) {
  Prompt whole = TRY(repository.compile(commit));
  Fit made{.budget = window.tokens};
  if (static_cast<std::int64_t>(whole.tokens) > high_water(window)) {
    const Prompt cleared = TRY(repository.compile(commit, {.clear_results_after = 0}));
    made = fit(weights_of(whole, cleared), window);
  }
  if (made.clear_results_after) {
    whole = TRY(repository.compile(commit, {.clear_results_after = made.clear_results_after}));
  }
  made.budget =
      TRY(keep_turns(repository, commit, whole, made, window.when_full != WhenFull::drop_each));
  return made;
}

compile::CompileOptions options_of(const Fit& fit) {
  return {.budget = fit.budget, .clear_results_after = fit.clear_results_after};
}

}  // namespace spoor::agent::record
