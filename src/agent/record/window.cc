#include "agent/record/window.h"

#include <algorithm>
#include <optional>

namespace spoor::agent::record {
namespace {

bool is_pinned(const compile::Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(), [](const compile::Part& part) {
    return part.priority == store::Priority::pinned;
  });
}

// The most tokens of a prompt of `all` tokens after whole blocks have left.
std::int64_t after_blocks(std::int64_t all, std::int64_t window) {
  if (all <= window) return window;
  const std::int64_t block = std::max<std::int64_t>(1, window * 2 / 5);
  const std::int64_t left_out = (all - window + block - 1) / block * block;
  return std::max<std::int64_t>(0, all - left_out);
}

// Returns a budget with which the first turn is a person's: a provider may refuse another, as it
// does an answer whose question was left out. `shown` is the prompt of `budget`.
std::int64_t from_a_person(const compile::Prompt& shown, std::int64_t budget) {
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
  const auto whole = TRY(repository.compile(commit));
  const auto all = static_cast<std::int64_t>(whole.tokens);
  const std::int64_t window = of.in_blocks ? after_blocks(all, of.tokens) : of.tokens;
  std::optional<compile::Prompt> cut;
  if (all > window) cut = TRY(repository.compile(commit, {.budget = window}));
  const compile::Prompt& shown = cut ? *cut : whole;
  // Turns are left out oldest first: if any unpinned answer is shown, so is the newest exchange.
  const bool shows_answer = std::any_of(shown.messages.begin(), shown.messages.end(),
                                        [](const compile::Message& message) {
                                          return message.role == "assistant" && !is_pinned(message);
                                        });
  if (shown.left_out.empty()) return window;
  if (shows_answer) return of.in_blocks ? from_a_person(shown, window) : window;

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
