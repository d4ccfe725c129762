#pragma once

#include <string_view>
#include <vector>

#include "cli/match_lines.h"
#include "compile/turn.h"

namespace spoor::cli {

/// Prints the lines of calls that contain a match, as print_match_lines() does. A call is one line,
/// `→ Bash {"command":"ls"}`, with its escapes undone. For a text of several lines in its
/// arguments, prints `→ Edit new_string` and then the lines of that text. `limit` applies to each
/// text.
void print_call_matches(Output& out, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher, std::string_view indent, std::size_t limit);

/// Writes member `arguments`: `[{tool, name, matches}]`, the texts in the arguments of calls that
/// contain a match. `name` is the text's place in the arguments; null means all arguments as the
/// provider wrote them.
void write_call_matches(JsonWriter& json, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher);

}  // namespace spoor::cli
