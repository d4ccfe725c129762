#pragma once

#include <string_view>
#include <vector>

#include "cli/match_lines.h"
#include "compile/turn.h"

namespace spoor::cli {

/// The lines of calls that hold a match, as print_match_lines(): a call on one line,
/// `→ Bash {"command":"ls"}`, its escapes undone; where a text in its arguments has several
/// lines, `→ Edit new_string` and below it those of that text. `limit` is for each text.
void print_call_matches(Output& out, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher, std::string_view indent, std::size_t limit);

/// Member `arguments`: `[{tool, name, matches}]`, the texts in the arguments of calls that hold a
/// match; `name` says where a text stands, and is null for all of them as the provider wrote them.
void write_call_matches(JsonWriter& json, const std::vector<compile::ToolCall>& calls,
                        const Matcher& matcher);

}  // namespace spoor::cli
