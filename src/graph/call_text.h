#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/turn.h"

namespace spoor::graph {

using compile::ToolCall;

/// A string in the arguments of a call, with its escapes undone.
struct CallText {
  std::string name;  ///< its path: `new_string`, `edits.0.text`; empty: the whole arguments
  std::string text;

  bool operator==(const CallText&) const = default;
};

/// Reports whether a text contains what is searched for.
using Holds = std::function<bool(std::string_view text)>;

/// Returns the string values in the arguments of `call`, at any depth, that match, in their order.
/// If none does, returns the arguments as the provider wrote them, if these match.
std::vector<CallText> texts_that(const ToolCall& call, const Holds& holds);

/// Reports whether a call matches: its name, one of those strings, or the arguments as written.
bool says(const ToolCall& call, const Holds& holds);
bool says(const ToolCall& call, std::string_view phrase);

/// Returns the arguments with the escapes of every string undone in place, for display and for a
/// word index. Returns them as written if they are not JSON.
std::string plain_arguments(const ToolCall& call);

}  // namespace spoor::graph
