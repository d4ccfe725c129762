#pragma once

#include <string>
#include <vector>

#include "cli/complete.h"

namespace spoor::cli {

/// The files and folders (with a slash) that begin as `start` does, by name. Hidden
/// ones only where the name typed begins with a dot. What cannot be read has none.
std::vector<Candidate> path_candidates(const std::string& start);

}  // namespace spoor::cli
