#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/turns/turn_marks.h"
#include "api/turns/turn_view.h"
#include "api/workspace.h"

namespace spoor::api {

/// A selection of commits of a history.
struct HistoryQuery {
  std::vector<Oid> tips;     ///< walked from, one or several
  std::vector<Oid> without;  ///< these and their ancestors are left out
  std::vector<std::string> types;
  std::string author;  ///< a part of the name
  std::string grep;    ///< a part of the text, of the commit's own message, or of a call
  std::string text;    ///< a part of the text or of a call, exactly; not of the message
  bool ignore_case = false;
  std::optional<Timestamp> since;
  std::optional<Timestamp> until;
  bool with_bookkeeping = false;       ///< annotations and settings, too
  std::optional<std::uint64_t> limit;  ///< applies after all of the above
  bool with_hidden = false;            ///< also pass unselected commits (for graphs)
  bool by_time = false;                ///< newest first by time, not line after line
  bool counterfactual = false;         ///< mark answers whose history was rewritten; two folds each
};

/// One step of a history.
struct HistoryStep {
  const TurnView& view;  ///< read in full only when it is shown
  Marks marks;
  bool is_shown = true;
  /// True for the last record of its provider's message. Only its reported usage counts, since
  /// usage grows from record to record.
  bool ends_message = true;

  TokenCount tokens(const compile::TokenCounter& counter) const {
    return ends_message ? view.reported_tokens(counter) : view.tokens(counter);
  }
};

/// Visits a history newest first, in the order of the graph: a commit before its parents, the
/// merged commits before those of the line they were merged into; with `by_time` as
/// store::walk_by_time(). The visitor returns false to stop. Costs the commits visited, not the
/// history.
Result<void> walk(const Workspace& workspace, const HistoryQuery& query,
                  const std::function<bool(const HistoryStep&)>& visit);

/// Visits those of `commits` that the query selects, in their order, and at most `limit`. Does not
/// look at the query's tips. The visitor returns false to stop.
Result<void> each_selected(const Workspace& workspace, const HistoryQuery& query,
                           const std::vector<Oid>& commits,
                           const std::function<bool(const TurnView&)>& visit);

/// Adds `REV`, `A..B` (commits in B but not in A) or `A...B` (commits in only one).
Result<void> add_revision(const Workspace& workspace, const std::string& text, HistoryQuery& query);

/// Returns all marks of one turn: those in force at `head` (nullopt: none), and whether its history
/// was rewritten.
Result<Marks> marks_at(const Workspace& workspace, const std::optional<Oid>& head,
                       const TurnView& view);

/// Returns true for an argument of `--type`: a type, or edit, annotate, compress, merge.
bool is_kind(std::string_view word);
std::string kinds_hint();

/// Adds every branch and tag, and HEAD.
Result<void> add_all(const Workspace& workspace, HistoryQuery& query);

}  // namespace spoor::api
