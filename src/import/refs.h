#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "graph/repository.h"
#include "import/report.h"
#include "store/result.h"

namespace spoor::import {

/// A commit that a ref must hold, and what the ref would best be called. Several
/// with one `base` are called `base`, `base-2`, `base-3` in their order.
struct WantedRef {
  std::string base;  ///< full, for example `refs/heads/claude-code/1a2b3c4d`
  store::Oid tip;
};

/// Moves refs in `draft` so that every wanted commit is held, and says where each
/// is. A ref moves only when all it held is held by a wanted commit of its base
/// too, or is superseded by it (superseded.h). Any other is someone's work and stays: where it
/// holds the commit already, or one that supersedes it, nothing is needed, else the next name is
/// tried.
///
/// Reads each commit of the histories that it needs once, however many refs there are. Set `cancel`
/// (may be null) to true, from any thread, to stop: Code::interrupted.
///
/// Call it where no other writer can come between this and the draft's write().
store::Result<std::vector<ImportedRef>> place_refs(const graph::Repository& repository,
                                                   graph::Draft& draft,
                                                   const std::vector<WantedRef>& wanted,
                                                   const std::atomic<bool>* cancel);

/// Is `commit` in the history of `tip`? Also no when it cannot be read.
bool is_held(const graph::Repository& repository, const store::Oid& commit, const store::Oid& tip);

}  // namespace spoor::import
