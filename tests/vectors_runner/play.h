#pragma once

#include <string>
#include <vector>

#include "tests/support/backend.h"
#include "tests/vectors_runner/format.h"

namespace spoor::vectors {

/// Plays a vector against an empty store of `backend`. One line for each thing
/// that differs; none: it passed.
std::vector<std::string> play(testing::Backend& backend, const Vector& vector);

}  // namespace spoor::vectors
