#include "agent/record/window.h"

#include <algorithm>

namespace spoor::agent::record {
namespace {

bool is_pinned(const compile::Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(), [](const compile::Part& part) {
    return part.priority == store::Priority::pinned;
  });
}

// The most tokens after whole blocks have left.
Result<std::int64_t> after_blocks(const graph::Repository& repository, const compile::Oid& commit,
                                  std::int64_t window) {
  const auto whole = TRY(repository.compile(commit));
  const auto all = static_cast<std::int64_t>(whole.tokens);
  if (all <= window) return window;
  const std::int64_t block = std::max<std::int64_t>(1, window * 2 / 5);
  const std::int64_t left_out = (all - window + block - 1) / block * block;
  return std::max<std::int64_t>(0, all - left_out);
}

// Returns a budget with which the first turn is a person's: a provider may refuse another, as it
// does an answer whose question was left out.
Result<std::int64_t> from_a_person(const graph::Repository& repository, const compile::Oid& commit,
                                   std::int64_t budget) {
  const auto shown = TRY(repository.compile(commit, {.budget = budget}));
  std::uint64_t kept = 0;
  bool has_begun = false;
  bool is_cut = false;
  for (const compile::Message& message : shown.messages) {
    const bool is_system = message.role == "system" || message.role == "developer";
    has_begun = has_begun || message.role == "user";
    if (is_system || has_begun || is_pinned(message)) {
      kept += message.tokens();
    } else {
      is_cut = true;
    }
  }
  return is_cut && has_begun ? static_cast<std::int64_t>(kept) : budget;
}

}  // namespace

Result<std::int64_t> budget_at(const graph::Repository& repository, const compile::Oid& commit,
                               const Window& of) {
  const std::int64_t window =
      of.in_blocks ? TRY(after_blocks(repository, commit, of.tokens)) : of.tokens;
  const auto shown = TRY(repository.compile(commit, {.budget = window}));
  // Turns are left out oldest first: if any unpinned answer is shown, so is the newest exchange.
  const bool shows_answer = std::any_of(shown.messages.begin(), shown.messages.end(),
                                        [](const compile::Message& message) {
                                          return message.role == "assistant" && !is_pinned(message);
                                        });
  if (shown.left_out.empty()) return window;
  if (shows_answer) return of.in_blocks ? from_a_person(repository, commit, window) : window;

  const auto whole = TRY(repository.compile(commit));
  std::size_t newest = whole.messages.size();
  while (newest > 0 && whole.messages[newest - 1].role != "assistant") --newest;
  if (newest > 0) --newest;
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < whole.messages.size(); ++i) {
    const compile::Message& message = whole.messages[i];
    if (i >= newest || is_pinned(message)) needed += message.tokens();
  }
  return std::max(window, static_cast<std::int64_t>(needed));
}

}  // namespace spoor::agent::record
