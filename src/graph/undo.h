#pragma once

#include <string>
#include <string_view>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

/// A step of the operation log: an operation that moved a branch or a tag.
struct Step {
  Oid name;
  store::Operation operation;  ///< its `refs` are those alone that are taken back
  std::string command;         ///< what is taken back, or done again: `rebase`, `user`, …
};

/// The newest step that is not taken back, whoever made it. Code::not_found when there is none,
/// Code::invalid when it is an erasure.
Result<Step> step_to_undo(const store::Store& store);

/// The same for whoever would not take back another's step unawares: Code::conflict when another
/// than `actor` made it. The hint names that step, and the newest of the actor's own.
Result<Step> step_to_undo_by(const store::Store& store, std::string_view actor);

/// The step of this name (find_operation(), with its errors). Code::conflict when it is taken back
/// already, Code::invalid when it is itself an undo or redo, or moved no branch or tag.
Result<Step> step_to_undo(const store::Store& store, std::string_view operation);

/// The undo that was made last, if no other step came after it and it was not itself taken back.
/// Code::not_found when there is none.
Result<Step> step_to_redo(const store::Store& store);

/// The same, but Code::conflict when another than `actor` made that undo.
Result<Step> step_to_redo_by(const store::Store& store, std::string_view actor);

/// The undo of this name, or the one that took the step of this name back. Code::conflict when that
/// step is in force, Code::invalid when it is no step.
Result<Step> step_to_redo(const store::Store& store, std::string_view operation);

/// Puts every branch and tag that the step moved back to where it was before. Code::conflict, which
/// names it, when one is not where the step left it. To be written as command kUndo, or kRedo where
/// the step is an undo.
Result<void> take_back(Draft& draft, const Step& step);

constexpr std::string_view kUndo = "undo";
constexpr std::string_view kRedo = "redo";

/// The command of an operation that erased contents. Nothing takes it back; and as the newest step
/// it stands before the earlier ones, so that nobody takes one of those back in its place unawares.
constexpr std::string_view kErase = "erase";

}  // namespace spoor::graph
