#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

/// What takes the place of commits that were read from somewhere and are read differently now.
struct Replaced {
  std::unordered_map<Oid, Oid> same;      ///< each with the commit that says the same now
  std::unordered_map<Oid, Oid> stand_in;  ///< each with the commit that is followed instead
};

/// What was built on replaced commits, copied onto what takes their place.
struct Carried {
  std::unordered_map<Oid, Oid> copies;  ///< each with its copy, or with what its copy would follow
  std::vector<Oid> dropped;             ///< directives of which every target is gone; no copies
};

/// Copies all commits between the replaced ones and `tips`, as a rewrite does (rewrite.h): with
/// their change ids; parents, targets and `about` follow. A directive loses the targets that
/// nothing says any more. A commit that several tips hold is copied once. Moves no ref.
Result<Carried> carry(Draft& draft, const store::Reader& reader, std::span<const Oid> tips,
                      const Replaced& replaced);

}  // namespace spoor::graph
