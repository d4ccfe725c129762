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

/// Returns the artifacts of an action, from the facts and attachments of its result. For spoor's
/// own tools: a diff with its line counts, the whole output of a command, its exit code, the tests
/// it ran. For an imported session: the patch that the source kept (`structuredPatch`) and an exit
/// code in the result. A command that commits, or opens a merge request, also has the commit or
/// request that its output names.
///
/// A failed call has no artifacts except the command, with its exit code and its tests. If a line
/// of several commands failed, it is not known which command did.
///
/// `type` is the result of type_of(). Hashes are of the bytes as stored.
Result<std::vector<Artifact>> artifacts_of(const store::Reader& reader, const TurnSeen& result,
                                           AgentAction::Type type, const trace::Call& call,
                                           const std::string& text);

}  // namespace spoor::report
