#pragma once

#include <string>
#include <vector>

#include "cli/complete.h"

namespace spoor::cli {

/// Candidates as lines for a terminal of this height: each with its help, or, where
/// none has any, side by side. No line is wider than the terminal; of many, the first
/// are shown.
std::string list_candidates(const Output& out, int height, const std::vector<Candidate>& found);

}  // namespace spoor::cli
