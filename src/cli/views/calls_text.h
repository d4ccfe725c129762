#pragma once

#include <string_view>

#include "cli/terminal/output.h"
#include "compile/turn.h"

namespace spoor::cli {

/// Prints a tool call: `→ Read toolu_01`, then its arguments, each on its own line if they are a
/// JSON object, else unchanged. Every line begins with `indent`. Long values are cut after a few
/// lines unless `in_full`.
void print_call(Output& out, const compile::ToolCall& call, std::string_view indent, bool in_full);

/// Prints the lines of a text after `indent`, at a terminal wrapped at its width. Prints nothing
/// for an empty text.
void print_text(Output& out, Style style, std::string_view text, std::string_view indent);

}  // namespace spoor::cli
