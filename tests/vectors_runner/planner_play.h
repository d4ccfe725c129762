#pragma once

#include <string>
#include <vector>

#include "tests/support/backend.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// Plays a planner vector on an empty store. One line for each thing that differs; none: it passed.
std::vector<std::string> play_planner(testing::Backend& backend, const Json& vector);

}  // namespace spoor::vectors
