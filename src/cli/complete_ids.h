#pragma once

#include <string_view>
#include <vector>

#include "cli/complete.h"

namespace spoor::cli {

/// Commits that `start` may become, each with its type and what it says: ids that
/// begin with these digits; in the interactive session, for `@`, the ids printed
/// last; the newest turns where nothing has been typed. At most a few dozen, and at
/// the cost of those, not of the history.
std::vector<Candidate> id_candidates(Session& session, std::string_view start);

/// The runs of agents, newest first, each with its goal; at most a few dozen.
std::vector<Candidate> run_candidates(Session& session);

}  // namespace spoor::cli
