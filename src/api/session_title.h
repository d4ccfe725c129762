#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::api {

struct Session;

/// Returns the refs of the session's records that are not turns.
Result<std::vector<store::Ref>> source_refs(const graph::Repository& repository,
                                            const Session& session);

/// Returns the title that the agent gave the session; else the beginning of the first request on
/// its main line; else an empty text. One line.
Result<std::string> title_of(const graph::Repository& repository, const Session& session);

/// Returns true for a text that an agent's program wrote, or a command of the user to that program:
/// it begins with a tag, a slash command, or the heading of an instruction file.
bool is_command_text(std::string_view text);

}  // namespace spoor::api
