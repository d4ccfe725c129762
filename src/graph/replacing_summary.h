#pragma once

#include <optional>

#include "compile/state.h"

namespace spoor::graph {

using compile::State;
using store::Oid;

/// Returns the summary in the prompt that replaced `message`; if that summary was itself replaced,
/// the last one. Returns nullopt if no summary replaced it, or if it is not a message.
std::optional<Oid> replacing_summary(const State& state, const Oid& message);

}  // namespace spoor::graph
