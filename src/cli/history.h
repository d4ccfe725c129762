#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/workspace.h"
#include "cli/marks.h"
#include "cli/turn_view.h"

namespace spoor::cli {

using api::Workspace;

/// Which commits of a history are wanted.
struct HistoryQuery {
  std::vector<Oid> tips;     ///< walked from, one or several
  std::vector<Oid> without;  ///< these and their ancestors are left out
  std::vector<std::string> types;
  std::string author;  ///< part of it
  std::string grep;    ///< part of the text, of a message of its own, or of a call
  std::string text;    ///< part of the text or of a call, exactly, and not of a message of its own
  std::optional<std::unordered_set<Oid>> commits;  ///< only these
  bool ignore_case = false;
  std::optional<Timestamp> since;
  std::optional<Timestamp> until;
  bool with_bookkeeping = false;       ///< annotations and settings, too
  std::optional<std::uint64_t> limit;  ///< counted after all of the above
  bool with_hidden = false;            ///< hand out what is not wanted, too (for graphs)
  bool counterfactual = false;         ///< mark answers whose history was rewritten; two folds each
};

/// One step of a history.
struct HistoryStep {
  const TurnView& view;  ///< read in full only when it is shown
  Marks marks;
  bool is_shown = true;
  /// The last record of its provider's message: the one whose reported usage
  /// counts, since usage grows from record to record.
  bool ends_message = true;

  TokenCount tokens(const compile::TokenCounter& counter) const {
    return ends_message ? view.reported_tokens(counter) : view.tokens(counter);
  }
};

/// Visits a history newest first, in the order of the graph: a commit before its
/// parents, what a merge brought in before the line it came into. The visitor
/// returns false to stop. Costs the commits visited, not the history.
Result<void> walk(const Workspace& workspace, const HistoryQuery& query,
                  const std::function<bool(const HistoryStep&)>& visit);

/// Adds `REV`, `A..B` (what B has and A has not) or `A...B` (what only one has).
Result<void> add_revision(const Workspace& workspace, const std::string& text, HistoryQuery& query);

/// Everything that marks one turn: what is in force for it at `head` (nothing: nowhere), and
/// whether its history was rewritten.
Result<Marks> marks_at(const Workspace& workspace, const std::optional<Oid>& head,
                       const TurnView& view);

/// Adds every branch and tag, and HEAD.
Result<void> add_all(const Workspace& workspace, HistoryQuery& query);

}  // namespace spoor::cli
