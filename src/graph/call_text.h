#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::graph {

using compile::ToolCall;

/// A text within the arguments of a call, as the model meant it: its escapes undone.
struct CallText {
  std::string name;  ///< where it stands: `new_string`, `edits.0.text`; empty: the whole arguments
  std::string text;

  bool operator==(const CallText&) const = default;
};

/// Tells whether a text holds what is looked for.
using Holds = std::function<bool(std::string_view text)>;

/// The texts in the arguments of a call that hold it, in their order: every string value at any
/// depth. Where none does, the arguments as the provider wrote them, if these do.
std::vector<CallText> texts_that(const ToolCall& call, const Holds& holds);
std::vector<CallText> texts_with(const ToolCall& call, std::string_view phrase);

/// Does a call say it: its name, one of those texts, or the arguments as they were written?
bool says(const ToolCall& call, const Holds& holds);
bool says(const ToolCall& call, std::string_view phrase);

/// The arguments with the escapes of every string in them undone where it stands, for people and
/// for an index of words; as they were written where they are no JSON.
std::string plain_arguments(const ToolCall& call);

}  // namespace spoor::graph
