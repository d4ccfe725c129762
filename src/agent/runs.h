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

/// A run, from its refs.
struct RunName {
  std::string id;                       ///< the first 16 digits of its root
  Oid root;                             ///< its first commit
  Oid head;                             ///< its last commit
  std::optional<Oid> critic = {};       ///< the last commit of its critic's chain
  std::optional<Timestamp> began = {};  ///< the root's time
  std::string caller = {};              ///< the run that called it; empty: a person began it
  std::int64_t call = 0;                ///< by which call
  std::string agent = {};               ///< the caller's tool; empty: a person, or not recorded
};

/// The run that another run continues.
struct Origin {
  std::string run;             ///< its id
  Oid root;                    ///< its first commit
  std::int64_t from_step = 0;  ///< the first of its steps that the other run does not have

  bool operator==(const Origin&) const = default;
};

/// Returns the run that the run with root `root` continues, then the run that this one continues,
/// and so on; empty for most runs. Returns Code::corrupt if such a run is not an ancestor, or if
/// there are too many.
Result<std::vector<Origin>> origins_of(const graph::Repository& repository, const Oid& root);

/// Returns all runs of the store, newest first: by the time of their roots, then by their order in
/// the operation log. Returns Code::corrupt if one of them cannot be read, since the newest is
/// unknown.
Result<std::vector<RunName>> list_runs(const graph::Repository& repository);

/// Returns the readable runs. Sets `unreadable` to the error of the first that is not.
Result<std::vector<RunName>> list_readable_runs(const graph::Repository& repository,
                                                std::optional<Error>& unreadable);

/// Returns the runs that the run `caller` called, oldest first.
Result<std::vector<RunName>> called_by(const graph::Repository& repository,
                                       std::string_view caller);

/// Returns the run that `name` means: `latest`, the first of list_runs() that no run called, or a
/// prefix of a root's name, at least 4 digits. Returns Code::not_found or Code::ambiguous, with a
/// hint.
Result<RunName> find_run(const graph::Repository& repository, std::string_view name);

/// Returns the run to which `commit` belongs (the root included); nullopt if to none.
Result<std::optional<RunName>> run_of(const graph::Repository& repository, const Oid& commit);

/// Reports whether the run wrote this commit itself; `facts` are the commit's meta. False for the
/// run's root, and for a turn that was cherry-picked from elsewhere.
bool is_of_run(const store::Commit& commit, const compile::FactsView& facts, std::string_view run);

}  // namespace spoor::agent
