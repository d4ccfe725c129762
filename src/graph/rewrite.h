#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using compile::Folder;
using store::Oid;

// Rewriting makes copies of commits behind other parents: with the same change id, author, time,
// text and labels; raw items and bundles too, but on an amended turn. What edits, annotations and
// summaries name follows to the copies. Nothing is lost: the originals stay, the operation records
// which copy is whose, and it can be undone. Tags stay where they are.
//
// Only the first-parent chain of a branch is copied; a merge on it is copied with its other parent
// as it is. All of these fail as a whole: they add nothing to the draft and move nothing then.

/// What a rewrite did.
struct Rewritten {
  std::vector<std::pair<Oid, Oid>> copies;  ///< original, copy; oldest first
  std::vector<Oid> dropped;                 ///< originals without a copy; oldest first
  Oid tip;                                  ///< where the branch is now
};

/// Puts what `ref` has and `onto` has not behind `onto`. Nothing to do where `onto` is part of the
/// history already; the branch only moves where it has nothing of its own. Code::not_found when an
/// edit, annotation or summary names what is not on the new chain; Code::conflict when a merge on
/// the chain says more than that its other side, which `onto` has already, comes in.
Result<Rewritten> rebase(Draft& draft, const store::Reader& reader, const std::string& ref,
                         const Oid& onto);

/// What the first-parent chain of `tip` has and the history of `other` has not; oldest first.
Result<std::vector<Oid>> own_commits(const store::Reader& reader, const Oid& tip, const Oid& other);

/// Copies single commits to the end of `ref`, in the order given. Code::invalid for a merge;
/// otherwise as rebase().
Result<Rewritten> cherry_pick(Draft& draft, const store::Reader& reader, const std::string& ref,
                              const std::vector<Oid>& commits);

/// Takes commits out of the first-parent chain of `ref`, and copies what follows them. Calls and
/// their results go together; so do edits and annotations of what goes, and summaries of nothing
/// else. Code::not_found when one is not on the chain, Code::invalid when nothing would remain.
Result<Rewritten> revert(Draft& draft, const store::Reader& reader, const Folder& folder,
                         const std::string& ref, const std::vector<Oid>& commits);

/// What an amended commit says instead. At least one of them.
struct Amendment {
  std::optional<std::string> text;     ///< of a commit that has one
  std::optional<std::string> message;  ///< its label in listings; empty: none
  std::optional<std::string> author;
};

/// Says a commit of the first-parent chain of `ref` anew, without its raw items and bundle, and
/// copies what follows it. Code::not_found when it is not on the chain, Code::invalid when it has
/// no text to replace.
Result<Rewritten> amend(Draft& draft, const store::Reader& reader, const std::string& ref,
                        const Oid& commit, const Amendment& amendment);

}  // namespace spoor::graph
