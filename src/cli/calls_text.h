#pragma once

#include <string_view>

#include "cli/terminal/output.h"
#include "compile/turn.h"

namespace spoor::cli {

/// A tool call for people: `→ Read toolu_01`, then its arguments, each on its own
/// line where they are a JSON object, as they are where not. Every line begins
/// with `indent`. Long values are cut after a few lines unless `in_full`.
void print_call(Output& out, const compile::ToolCall& call, std::string_view indent, bool in_full);

/// Lines of a text behind `indent`; where a person looks they are broken at the
/// terminal's width. Nothing for an empty text.
void print_text(Output& out, Style style, std::string_view text, std::string_view indent);

}  // namespace spoor::cli
