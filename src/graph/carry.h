#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using store::Oid;

/// Commits that an importer read before and now reads differently.
struct Replaced {
  std::unordered_map<Oid, Oid> same;      ///< original to the commit with the same content now
  std::unordered_map<Oid, Oid> stand_in;  ///< original to the commit that its children follow now
};

/// Copies of the commits that followed replaced ones.
struct Carried {
  std::unordered_map<Oid, Oid> copies;  ///< original to its copy; of a dropped one: to the parent
                                        ///< its copy would have
  std::vector<Oid> dropped;             ///< directives that lost all targets; not copied
};

/// Copies all commits between the replaced ones and `tips`, as a rewrite does (rewrite.h): change
/// ids stay; parents, targets and `about` are mapped. A directive loses targets that no longer
/// exist. A commit that several tips contain is copied once. Moves no ref.
Result<Carried> carry(Draft& draft, const store::Reader& reader, std::span<const Oid> tips,
                      const Replaced& replaced);

}  // namespace spoor::graph
