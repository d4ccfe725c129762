#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/vectors_runner/bindings.h"

namespace spoor::vectors {

/// The value of a state: `head`, `branch`, …, or `exists.HASH`.
using StateOf = std::function<Json(const std::string& name)>;

/// Checks expectations; one line for each that does not hold.
std::vector<std::string> check(const Json& expectations, const Bindings& bindings,
                               const StateOf& state_of);

}  // namespace spoor::vectors
