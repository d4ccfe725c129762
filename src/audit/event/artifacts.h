#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/event/action_type.h"
#include "audit/event/turn_seen.h"

namespace spoor::audit {

/// How a call ended.
struct Ending {
  bool has_failed = false;                ///< its result is an error, or its exit code is not 0
  std::optional<std::int64_t> exit_code;  ///< of a command
};

/// The exit code is what a fact of the result tells, else its text (llm/source_exit_code.h).
/// `is_error`: the result says that it is one.
Ending ending_of(const TurnSeen& result, const std::string& text, bool is_error);

/// What an action made, out of the facts and attachments of its result: of our own tools a diff
/// with the lines it counts, the whole output of a command, its exit code, the tests it ran. Of an
/// imported session the patch that the source kept (`structuredPatch`) and an exit code that the
/// result names. A command that commits, or opens a request to merge, has that as well, where its
/// output names it.
///
/// What did not happen has none: of a call that failed only the command is left, with its exit code
/// and its tests. Of a line of several commands that failed it is not known which did.
///
/// `type` is what type_of() says. Hashes are of the bytes as they are stored.
store::Result<std::vector<Artifact>> artifacts_of(const store::Reader& reader,
                                                  const TurnSeen& result, AgentAction::Type type,
                                                  const CallSeen& call, const std::string& text,
                                                  const Ending& ending);

}  // namespace spoor::audit
