#pragma once

#include <optional>

#include "compile/state.h"

namespace spoor::graph {

using compile::State;
using store::Oid;

/// What stands in the prompt for a message that a summary replaced: that summary, or the one that
/// replaced it in its turn. Nothing for a message that no summary replaced, and for what is none.
std::optional<Oid> stand_in_of(const State& state, const Oid& message);

}  // namespace spoor::graph
