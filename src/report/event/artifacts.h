#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "guard/check/action_type.h"
#include "report/event/event.h"
#include "report/event/turn_seen.h"
#include "trace/step.h"

namespace spoor::report {

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
Result<std::vector<Artifact>> artifacts_of(const store::Reader& reader, const TurnSeen& result,
                                           AgentAction::Type type, const trace::Call& call,
                                           const std::string& text);

}  // namespace spoor::report
