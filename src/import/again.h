#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/repository.h"

namespace spoor::import {

/// A branch that import_again() moved, added or removed.
struct UpdatedBranch {
  std::string name;                  ///< full name
  std::optional<store::Oid> before;  ///< nullopt: the branch is new
  std::optional<store::Oid> after;   ///< nullopt: the branch was removed
};

/// The result of importing sessions again.
struct Updated {
  std::vector<UpdatedBranch> branches;
  std::size_t lines = 0;             ///< lines that were read, changed or not
  std::size_t replaced = 0;          ///< turns that are replaced by other commits
  std::size_t carried = 0;           ///< pins, edits, turns and judgements that were copied
  std::vector<store::Oid> dropped;   ///< directives whose turns are no longer read
  std::vector<std::string> shorter;  ///< lines left alone: the source ends before the stored line
};

/// Brings sessions that earlier versions imported up to date, as one operation.
///
/// `read` imports sessions into the repository that it is given, which is empty and in memory. Each
/// branch of `repository` that contains turns of these lines moves to the turns as they are read
/// now. Pins, skips, edits, summaries and turns that the user added are copied there, and so are
/// notes about them (`refs/notes`). The operation maps each old commit to the new one. Tags do not
/// move. The session's notes are replaced by the ones read now. A further branch of a line (`…-2`)
/// is removed if another branch of the line now contains it and it has nothing of the user's,
/// unless it is `kept` (a full name, may be empty).
Result<Updated> import_again(graph::Repository& repository,
                             const std::function<Result<void>(graph::Repository& fresh)>& read,
                             const std::string& kept = {});

}  // namespace spoor::import
