#pragma once

#include <string>
#include <string_view>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

/// A step of the operation log: an operation that moved a branch or a tag.
struct Step {
  Oid name;
  store::Operation operation;  ///< `refs` has only the moves that are taken back
  std::string command;         ///< the command that is undone or redone: `rebase`, `user`, …
};

/// Returns the newest step that is not undone, by any actor. Returns Code::not_found if there is
/// none, Code::invalid if it is an erasure.
Result<Step> step_to_undo(const store::Store& store);

/// As above, but returns Code::conflict if another than `actor` made the step. The hint names that
/// step and the newest of the actor's own.
Result<Step> step_to_undo_by(const store::Store& store, std::string_view actor);

/// Returns the step of this name (find_operation(), with its errors). Returns Code::conflict if it
/// is already undone, Code::invalid if it is itself an undo or redo, or moved no branch or tag.
Result<Step> step_to_undo(const store::Store& store, std::string_view operation);

/// Returns the newest undo, if no other step followed it and it was not redone. Returns
/// Code::not_found if there is none.
Result<Step> step_to_redo(const store::Store& store);

/// As above, but returns Code::conflict if another than `actor` made that undo.
Result<Step> step_to_redo_by(const store::Store& store, std::string_view actor);

/// Returns the undo of this name, or the one that undid the step of this name. Returns
/// Code::conflict if that step is in force, Code::invalid if it is not a step.
Result<Step> step_to_redo(const store::Store& store, std::string_view operation);

/// Moves every branch and tag of the step back to its earlier target. Returns Code::conflict with
/// the name of the ref if one has moved since. Write the draft as command kUndo, or kRedo if the
/// step is an undo.
Result<void> take_back(Draft& draft, const Step& step);

constexpr std::string_view kUndo = "undo";
constexpr std::string_view kRedo = "redo";

/// The command of an operation that erased contents. It cannot be undone. While it is the newest
/// step, step_to_undo() refuses, so that an earlier step is not undone by mistake.
constexpr std::string_view kErase = "erase";

}  // namespace spoor::graph
