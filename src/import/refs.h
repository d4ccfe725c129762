#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/repository.h"
#include "import/report.h"

namespace spoor::import {

/// A commit that a ref must hold, and the preferred name of that ref. Several with one `base` are
/// named `base`, `base-2`, `base-3` in their order.
struct WantedRef {
  std::string base;  ///< full name, for example `refs/heads/claude-code/1a2b3c4d`
  store::Oid tip;
};

/// Moves refs in `draft`, as it leaves them, so that every wanted commit is held, and returns the
/// ref of each. A ref moves only if a wanted commit of its base also holds or supersedes everything
/// that the ref held. Any other ref contains a user's work and stays: if it already holds the
/// commit, or one that supersedes it, nothing moves; else the next name is tried.
///
/// Reads each commit of the necessary histories once, regardless of the number of refs. Set
/// `cancel` (may be null) to true, from any thread, to stop with Code::interrupted.
///
/// Call it where no other writer can write between this call and the draft's write().
Result<std::vector<ImportedRef>> place_refs(const graph::Repository& repository,
                                            graph::Draft& draft,
                                            const std::vector<WantedRef>& wanted,
                                            const std::atomic<bool>* cancel);

/// Returns true if `commit` is in the history of `tip`; false if that cannot be read.
bool is_held(const graph::Repository& repository, const store::Oid& commit, const store::Oid& tip);

/// A commit of a shorter copy of a source, and its replacement from a longer copy.
using Superseded = std::pair<store::Oid, store::Oid>;

/// Compares the end of one line with another line. `longer` supersedes `shorter` if each turn of
/// `shorter` after the last common one is in `longer` too, in the same order, with the same text,
/// calls and facts or more of them.
///
/// A source that still grows ends within an answer: its token count, its calls or their results are
/// not written yet. In a longer copy of the source the same records become other commits, which
/// supersede the first ones.
///
/// Returns the commits of `shorter` that are not in `longer`, each with its successor; nullopt if
/// `longer` does not supersede `shorter`, if one of the commits was not made by the importer of
/// `tool`, if there are more than 256, or if something cannot be read.
std::optional<std::vector<Superseded>> superseded(const graph::Repository& repository,
                                                  const store::Oid& shorter,
                                                  const store::Oid& longer, std::string_view tool);

/// Returns true if `there` comes from the same record as `ours`, read when less of it was known.
/// Their contents must be equal. A turn without a time is identified by its answer's name. A usage
/// without an end (`finish_reason`) is from an unfinished answer.
bool is_earlier_reading(const compile::Turn& there, const compile::Turn& ours);

}  // namespace spoor::import
