#pragma once

#include <string>
#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

/// Reads a line from standard input, without its line feed. A person is asked with `question`;
/// earlier typing is discarded.
/// Code::interrupted after Ctrl-C or at the end of the input.
Result<std::string> read_typed_line(Session& session, std::string_view question);

/// Reads a line from standard input, without its line feed. A person is asked with `question`, and
/// their typing is not shown. Code::invalid for an empty line.
Result<std::string> read_hidden_line(Session& session, std::string_view question);

}  // namespace spoor::cli
