#pragma once

#include <vector>

#include "compile/state.h"
#include "graph/draft.h"

namespace spoor::graph {

using compile::State;
using store::Oid;

/// What a compress of a range names, and what it leaves standing.
struct Chosen {
  std::vector<Oid> targets;  ///< in prompt order
  std::size_t sources = 0;   ///< of them, how many the summary stands for
  std::size_t kept = 0;      ///< entries of the range that stay: pinned, or bound to a pinned one
};

/// Takes every entry of the range that is not PINNED (a summary pinned only by
/// its default counts as not), of the types that the range wants. A range that would part a call
/// from its results is widened to hold both; where one of them is pinned, all of them stay.
/// Code::invalid: an end that is no prompt entry or is compressed already, ends in
/// the wrong order, or nothing to summarise.
Result<Chosen> choose(const State& state, const CompressRange& range);

}  // namespace spoor::graph
