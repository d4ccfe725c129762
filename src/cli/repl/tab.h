#pragma once

#include <string_view>

#include "cli/repl/line_editor.h"
#include "cli/session.h"

namespace spoor::cli {

/// Completes a line with the cursor at this byte, with the candidates that a shell gets
/// (complete.h), and files where the shell would add its own. Inserts a single candidate, or the
/// common beginning of several; lists them if nothing can be inserted. Never offers a name with
/// characters that a terminal interprets.
Completion complete_line(Session& session, std::string_view line, std::size_t cursor);

}  // namespace spoor::cli
