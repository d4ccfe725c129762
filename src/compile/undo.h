#pragma once

#include <string>

#include "compile/draft.h"

namespace spoor::compile {

/// A step of the operation log: an operation that moved a branch or a tag.
struct Step {
  Oid name;
  store::Operation operation;
  std::string command;  ///< what is taken back, or done again: `rebase`, `user`, …
};

/// The newest step that is not taken back. Code::not_found when there is none.
Result<Step> step_to_undo(const store::Store& store);

/// The undo that was made last, if no other step came after it and it was not itself taken back.
/// Code::not_found when there is none.
Result<Step> step_to_redo(const store::Store& store);

/// Puts every branch and tag that the step moved back to where it was before. Code::conflict when
/// one is not where the step left it. To be written as command kUndo, or kRedo where the step is an
/// undo.
Result<void> take_back(Draft& draft, const Step& step);

constexpr std::string_view kUndo = "undo";
constexpr std::string_view kRedo = "redo";

}  // namespace spoor::compile
