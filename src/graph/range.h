#pragma once

#include <vector>

#include "compile/state.h"
#include "graph/draft.h"

namespace spoor::graph {

using compile::State;
using store::Oid;

/// The entries of a range that a compress takes, and how many it leaves.
struct Chosen {
  std::vector<Oid> targets;  ///< in prompt order
  std::size_t sources = 0;   ///< how many of the targets count as summarised
  std::size_t kept = 0;      ///< entries that stay: pinned, unwanted, or paired with one of these
};

/// Chooses the entries of a range to compress: those that are not PINNED (a summary pinned only by
/// default counts as not pinned) and are of a wanted type. A range that would separate a call from
/// its results is widened to include both; if one of these stays, all of them stay. Returns
/// Code::invalid if an end is not a prompt entry or is already compressed, if the ends are in the
/// wrong order, or if there is nothing to summarise.
Result<Chosen> choose(const State& state, const CompressRange& range);

}  // namespace spoor::graph
