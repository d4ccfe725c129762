#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/repository.h"

namespace spoor::import {

/// A branch that now follows the newly read commits.
struct UpdatedBranch {
  std::string name;                  ///< full
  std::optional<store::Oid> before;  ///< nothing: it is new
  std::optional<store::Oid> after;   ///< nothing: it is gone
};

/// What reading sessions again came to.
struct Updated {
  std::vector<UpdatedBranch> branches;
  std::size_t lines = 0;             ///< that were read, whether anything changed or not
  std::size_t replaced = 0;          ///< turns that are other commits now
  std::size_t carried = 0;           ///< pins, edits, turns and judgements that were copied
  std::vector<store::Oid> dropped;   ///< directives whose turns are not read any more
  std::vector<std::string> shorter;  ///< lines left alone: what was read ends before what is here
};

/// Brings what earlier programs imported up to date, as one operation.
///
/// `read` imports sessions into a repository that it is given, which is empty and lives in memory.
/// Each branch of `repository` on turns of these lines moves to the turns as they are read now.
/// What was written on top of them, pins, skips, edits, summaries and turns, is copied there, and
/// so are notes about them (`refs/notes`). The operation records which commit is whose. Tags stay.
/// The notes of a session become those that were read now. A further branch of a line (`…-2`) that
/// is within another one now and has nothing of the user's is removed, unless it is `kept` (a full
/// name, may be empty).
Result<Updated> import_again(graph::Repository& repository,
                             const std::function<Result<void>(graph::Repository& fresh)>& read,
                             const std::string& kept = {});

}  // namespace spoor::import
