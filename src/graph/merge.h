#pragma once

#include <optional>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using compile::Conflict;
using compile::Folder;
using compile::Turn;
using store::Oid;

/// How one history is merged into another.
struct MergeRequest {
  store::Mode mode = store::Mode::append;
  bool no_fast_forward = false;  ///< make a commit even where moving the branch would do
  std::vector<Oid> targets;      ///< what a `pick` takes; else empty
  std::optional<Turn> digest;    ///< the summary of a `digest`; else nothing
  Signed by;
};

/// What a merge did.
struct Merged {
  bool is_fast_forward = false;
  Oid tip;                          ///< where the branch is now
  std::vector<Conflict> conflicts;  ///< those that this merge brought, in prompt order
};

/// Merges `source` into the branch `ref`. Where the branch is an ancestor of
/// `source`, a merge in mode `append` only moves it.
/// Code::invalid when `source` is part of the history already, or the request
/// does not fit its mode; Code::not_found for a pick that is not on `source`.
Result<Merged> merge(Draft& draft, const store::Reader& reader, const Folder& folder,
                     const std::string& ref, const Oid& source, const MergeRequest& request);

}  // namespace spoor::graph
