#pragma once

#include <string>
#include <string_view>

#include "cli/batch/operations.h"
#include "cli/session.h"

namespace spoor::cli::batch {

/// Returns the answer to one line, with a line end: `{"id":…,"result":…}` or
/// `{"id":…,"error":{code, message, hint}}`. `id` is present if the request has one. Never fails or
/// throws because of the line's contents.
std::string answer_line(Context& context, std::string_view line);

/// Answers standard input line by line, in order. Flushes answers before waiting for more input.
/// Writing lines that arrived together are written under one hold of the writer's lock, each as its
/// own transaction. Skips blank lines.
Result<void> run_batch(Session& session);

}  // namespace spoor::cli::batch
