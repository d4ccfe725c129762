#pragma once

#include <string>
#include <vector>

#include "agent/debrief/graph_source.h"

namespace spoor::agent::debrief {

/// The debrief of a run with its critic's calls, at its head. How far a long run was read is kept
/// as derived data of the store, where it takes some: the next process reads on from there. The
/// state says nothing that is not in the commits; see stale_states().
Result<Debrief> debrief_of(compile::Repository& repository, const RunName& run,
                           GraphOptions options = {});

/// The runs of which the store keeps a state that is not what their commits come to: damaged by
/// whoever wrote to the file. Reads every commit of each long run.
Result<std::vector<RunName>> stale_states(const compile::Repository& repository);

}  // namespace spoor::agent::debrief
