#pragma once

#include <string_view>
#include <vector>

#include "cli/views/match_lines.h"
#include "compile/turn.h"

namespace spoor::cli {

/// Prints the lines of calls that contain a match, as print_match_lines() does. A call is one line,
/// `→ Bash {"command":"ls"}`, with its escapes undone. For a text of several lines in its
/// arguments, prints `→ Edit new_string` and then the lines of that text. `limit` applies to each
/// text.
void print_call_matches(Output& out, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher, std::string_view indent, std::size_t limit);

}  // namespace spoor::cli
