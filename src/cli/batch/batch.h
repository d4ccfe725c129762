#pragma once

#include <string>
#include <string_view>

#include "cli/batch/operations.h"
#include "cli/session.h"

namespace spoor::cli::batch {

/// Answers one line: `{"id":…,"result":…}` or `{"id":…,"error":{code, message,
/// hint}}` and a line end; `id` stands there when the request has one. Whatever
/// the line holds, this neither fails nor throws for it.
std::string answer_line(Context& context, std::string_view line);

/// Answers standard input line by line, in order. Answers are flushed before more
/// input is waited for. Lines that write and came together are written in one turn of
/// the writer's lock, each as its own transaction. Blank lines are passed over.
Result<void> run_batch(Session& session);

}  // namespace spoor::cli::batch
