#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::compile {

/// A text within the arguments of a call, as the model meant it: its escapes undone.
struct CallText {
  std::string name;  ///< where it stands: `new_string`, `edits.0.text`; empty: the whole arguments
  std::string text;

  bool operator==(const CallText&) const = default;
};

/// The texts in the arguments of a call that hold `phrase`, in their order: every string value at
/// any depth. Where none does, the arguments as the provider wrote them, if these do.
std::vector<CallText> texts_with(const ToolCall& call, std::string_view phrase);

/// Does a call say `phrase`: its name, one of those texts, or the arguments as they were written?
bool says(const ToolCall& call, std::string_view phrase);

}  // namespace spoor::compile
