#pragma once

#include <optional>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using compile::Conflict;
using compile::Folder;
using compile::Turn;
using store::Oid;

/// The options of a merge.
struct MergeRequest {
  store::Mode mode = store::Mode::append;
  bool no_fast_forward = false;  ///< make a commit even if moving the branch would suffice
  std::vector<Oid> targets;      ///< the entries that a `pick` takes; else empty
  std::optional<Turn> digest;    ///< the summary of a `digest`; else nullopt
  Signed by;
};

/// The result of a merge.
struct Merged {
  bool is_fast_forward = false;
  Oid tip;                          ///< where the branch is now
  std::vector<Conflict> conflicts;  ///< the conflicts that this merge added, in prompt order
};

/// Merges `source` into the branch `ref`. If the branch is an ancestor of `source`, a merge in mode
/// `append` only moves the branch, unless `no_fast_forward` is set. Returns Code::invalid if
/// `source` is already part of the history, or if the request does not fit its mode;
/// Code::not_found for a pick that is not on `source`.
Result<Merged> merge(Draft& draft, const store::Reader& reader, const Folder& folder,
                     const std::string& ref, const Oid& source, const MergeRequest& request);

}  // namespace spoor::graph
