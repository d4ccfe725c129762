#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "agent/session.h"
#include "graph/repository.h"

namespace spoor::agent::record {

/// A run's window of the branch.
struct Window {
  std::int64_t tokens = 0;  ///< the most that a prompt has
  WhenFull when_full = WhenFull::compact;
};

/// How the prompt of a commit fits into a window.
struct Fit {
  std::int64_t budget = 0;                               ///< CompileOptions::budget
  std::optional<std::int64_t> clear_results_after = {};  ///< as there
  bool needs_summary =
      false;  ///< a summary of the turns would make more room than leaving them out
};

/// The size of one message of a prompt.
struct Weight {
  std::uint64_t tokens = 0;
  std::uint64_t cleared = 0;  ///< with its results shortened, at most `tokens`
  bool is_pinned = false;
  bool is_answer = false;
};

/// Returns whether a part of the message is pinned: it is shown whatever the budget.
bool is_pinned(const compile::Message& message);

/// Returns which results of a prompt are shortened, and how many of its tokens may be shown, before
/// whole turns are kept together; see fit_at(). Pure.
Fit fit(std::span<const Weight> messages, const Window& window);

/// Returns how a run's prompt fits at a commit. A full prompt gives up two fifths of its window at
/// a time, so that all prompts between two such moments begin alike: first the text of the oldest
/// tool results, except for those of the newest exchange (the last answer and everything after it);
/// if these are not enough, the oldest turns. A window that is to be summarised counts as full at
/// four fifths, and turns are left out only if the summary does not come.
///
/// The budget is at most the window's tokens, or more if the newest exchange does not fit next to
/// the pinned turns. That exchange is never left out: a model that does not see its last action
/// would repeat it. Depends only on the commit, as the prompt does.
Result<Fit> fit_at(const graph::Repository& repository, const compile::Oid& commit,
                   const Window& window);

/// Returns the options with which a prompt fits.
compile::CompileOptions options_of(const Fit& fit);

}  // namespace spoor::agent::record
