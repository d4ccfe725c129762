#pragma once

#include <string_view>

#include "cli/repl/line_editor.h"
#include "cli/session.h"

namespace spoor::cli {

/// What Tab makes of a line with the cursor at this byte: the same candidates that a
/// shell is given (complete.h), and files where the shell would add its own. One
/// candidate, or what several have in common, is put into the line; where nothing is
/// to be added, they are listed. A name that a terminal might obey is never offered.
Completion complete_line(Session& session, std::string_view line, std::size_t cursor);

}  // namespace spoor::cli
