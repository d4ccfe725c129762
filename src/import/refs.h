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

/// A commit that a ref must hold, and what the ref would best be called. Several
/// with one `base` are called `base`, `base-2`, `base-3` in their order.
struct WantedRef {
  std::string base;  ///< full, for example `refs/heads/claude-code/1a2b3c4d`
  store::Oid tip;
};

/// Moves refs in `draft` so that every wanted commit is held, and says where each
/// is. A ref moves only when all it held is held by a wanted commit of its base
/// too, or is superseded by it. Any other is someone's work and stays: where it
/// holds the commit already, or one that supersedes it, nothing is needed, else the next name is
/// tried.
///
/// Reads each commit of the histories that it needs once, however many refs there are. Set `cancel`
/// (may be null) to true, from any thread, to stop: Code::interrupted.
///
/// Call it where no other writer can come between this and the draft's write().
Result<std::vector<ImportedRef>> place_refs(const graph::Repository& repository,
                                            graph::Draft& draft,
                                            const std::vector<WantedRef>& wanted,
                                            const std::atomic<bool>* cancel);

/// Is `commit` in the history of `tip`? Also no when it cannot be read.
bool is_held(const graph::Repository& repository, const store::Oid& commit, const store::Oid& tip);

/// A commit of a shorter copy of a source, and the one of a longer copy that replaces it.
using Superseded = std::pair<store::Oid, store::Oid>;

/// Compares the end of one line with another line: `longer` supersedes `shorter` if each turn at
/// the end of `shorter`, from where the two part, is in `longer` too, with the same words, calls
/// and facts or more of them.
///
/// A source that still grows ends within an answer: its token count, its calls or their results are
/// not written yet. The same records in a longer copy of the source become other commits, which
/// supersede them.
///
/// Returns the commits of `shorter` that are not in `longer`, each with its successor; nullopt if
/// `longer` does not supersede `shorter`. That is also the answer if one of them was not made by
/// the importer of `tool`, if there are more than 256, and if something cannot be read.
std::optional<std::vector<Superseded>> superseded(const graph::Repository& repository,
                                                  const store::Oid& shorter,
                                                  const store::Oid& longer, std::string_view tool);

/// Returns true if `there` is made of the record that `ours` is made of, when less of it was known.
/// Both say the same. A turn without a time is known by its answer's name. Usage without an end
/// (`finish_reason`) is that of an answer that was not finished.
bool is_earlier_reading(const compile::Turn& there, const compile::Turn& ours);

}  // namespace spoor::import
