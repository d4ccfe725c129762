#pragma once

#include "attempts/tree.h"
#include "cli/session.h"

namespace spoor::cli {

/// Prints to standard error which recorded thinking each model of the tree is sent back, before
/// anything is spent.
Result<void> print_thinking(Session& session, const attempts::Tree& tree);

/// Runs the attempts of a tree that have not ended, one after the other, and judges those that
/// nothing has judged by what the plan expects. `limits` hold for all attempts together, with what
/// was spent before.
///
/// Ctrl-C ends it, as do a limit and a call that waits for a person; a killed process leaves what
/// it has done. In each case a later call goes on: an attempt that ended is never run again.
/// Returns Code::interrupted, or Code::unavailable if attempts ended with an error of the model.
Result<void> run_tree(Session& session, const attempts::Tree& tree, const attempts::Limits& limits);

/// Judges the ended attempts of a tree by `expects`, without running any. `again`: also those that
/// were judged before. Returns the number of judgements.
Result<std::size_t> judge_tree(Session& session, const attempts::Tree& tree,
                               const attempts::Expectation& expects, bool again);

/// Prints the table of trees, as `spoor compare --tree` does. `trees` has its options.
Result<void> print_trees(Session& session, Arguments trees, bool as_json);

}  // namespace spoor::cli
