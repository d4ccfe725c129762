#pragma once

#include <string>
#include <vector>

#include "cli/help/complete.h"

namespace spoor::cli {

/// Returns the files and folders (with a slash) that begin with `start`, sorted by name. Includes
/// hidden ones only if the typed name begins with a dot. Returns none for an unreadable folder.
std::vector<Candidate> path_candidates(const std::string& start);

}  // namespace spoor::cli
