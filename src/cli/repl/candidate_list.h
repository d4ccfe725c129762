#pragma once

#include <string>
#include <vector>

#include "cli/help/complete.h"

namespace spoor::cli {

/// Returns candidates as lines for a terminal of this size: each with its help, or side by side if
/// none has any. No line is wider than the terminal. If there are too many, only the first are
/// shown.
std::string list_candidates(const Output& out, int height, const std::vector<Candidate>& found);

}  // namespace spoor::cli
