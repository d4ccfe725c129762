#pragma once

#include <string_view>
#include <vector>

#include "cli/help/complete.h"

namespace spoor::cli {

/// Returns commits that complete `start`, each with its type and a preview: ids that begin with
/// these digits; in the interactive session, for `@`, the ids printed last; for an empty `start`,
/// the newest turns. Returns a few dozen at most, at a cost that does not depend on the length of
/// the history.
std::vector<Candidate> id_candidates(Session& session, std::string_view start);

/// Returns the runs of agents, newest first, each with its goal; a few dozen at most.
std::vector<Candidate> run_candidates(Session& session);

}  // namespace spoor::cli
