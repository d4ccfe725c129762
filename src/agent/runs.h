#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/facts_view.h"
#include "graph/repository.h"

namespace spoor::agent {

using store::Oid;

/// A run as its refs name it.
struct RunName {
  std::string id;                       ///< the first 16 digits of its root
  Oid root;                             ///< where it began
  Oid head;                             ///< its last commit
  std::optional<Oid> critic = {};       ///< the last commit of its critic's own chain
  std::optional<Timestamp> began = {};  ///< the root's time
};

/// The run that another one goes on from.
struct Origin {
  std::string run;             ///< its id
  Oid root;                    ///< where it began
  std::int64_t from_step = 0;  ///< the first of its steps that the other run does not have

  bool operator==(const Origin&) const = default;
};

/// Where the run that began at `root` goes on from, where that goes on from, and so on; empty for
/// most. Code::corrupt when such a run is not before it, or there are too many.
Result<std::vector<Origin>> origins_of(const graph::Repository& repository, const Oid& root);

/// Every run of the store, newest first: by the times of the roots; of equal ones, by the order in
/// which the operation log made them. Code::corrupt when one of them cannot be read: which is the
/// newest is not known then.
Result<std::vector<RunName>> list_runs(const graph::Repository& repository);

/// Those that can be read. `unreadable` says what is wrong with the first that cannot.
Result<std::vector<RunName>> list_readable_runs(const graph::Repository& repository,
                                                std::optional<Error>& unreadable);

/// The run that `name` means: `latest`, the first of list_runs(), or the beginning of one root's
/// name, 4 digits or more. Code::not_found or Code::ambiguous, with what to try next.
Result<RunName> find_run(const graph::Repository& repository, std::string_view name);

/// The run that `commit` belongs to, of which it may be the root; nothing when it is of none.
Result<std::optional<RunName>> run_of(const graph::Repository& repository, const Oid& commit);

/// Did the run write this commit itself, of which `facts` are the meta? Its root does not say so,
/// and a copy of a turn that was picked from elsewhere is none of its own.
bool is_of_run(const store::Commit& commit, const compile::FactsView& facts, std::string_view run);

}  // namespace spoor::agent
