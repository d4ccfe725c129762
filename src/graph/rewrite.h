#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/draft.h"

namespace spoor::graph {

using compile::Folder;
using store::Oid;

// Rewriting copies commits to other parents. A copy keeps the change id, author, time, text and
// labels; it also keeps raw items and bundles, except an amended turn. Targets of edits,
// annotations and summaries are mapped to the copies. The originals stay, the operation records
// each copy's original, and it can be undone. Tags do not move.
//
// Only the first-parent chain of a branch is copied; the copy of a merge keeps its other parent. If
// one of these functions fails, it adds nothing to the draft and moves nothing.

/// The result of a rewrite.
struct Rewritten {
  std::vector<std::pair<Oid, Oid>> copies;  ///< original, copy; oldest first
  std::vector<Oid> dropped;                 ///< originals without a copy; oldest first
  Oid tip;                                  ///< where the branch is now
};

/// Copies the commits that `ref` has and `onto` has not, after `onto`, and moves `ref` to the last
/// copy. Does nothing if `onto` is already part of the history; only moves the branch if it has no
/// commits of its own. Returns Code::not_found if the target of an edit, annotation or summary is
/// not on the new chain; Code::conflict if `onto` already has the other side of a merge on the
/// chain and the merge is not a plain append.
Result<Rewritten> rebase(Draft& draft, const store::Reader& reader, const std::string& ref,
                         const Oid& onto);

/// Returns the commits on the first-parent chain of `tip` that are not in the history of `other`;
/// oldest first. Calls `visit` with each commit of the chain of `other` that is not on that of
/// `tip`, newest first.
Result<std::vector<Oid>> own_commits(
    const store::Reader& reader, const Oid& tip, const Oid& other,
    const std::function<void(const store::NamedCommit&)>& visit = [](const auto&) {});

/// Copies single commits to the end of `ref`, in the order given. Returns Code::invalid for a
/// merge; other errors as for rebase().
Result<Rewritten> cherry_pick(Draft& draft, const store::Reader& reader, const std::string& ref,
                              const std::vector<Oid>& commits);

/// Removes commits from the first-parent chain of `ref` and copies those that follow. A call and
/// its results are removed together. Edits, annotations and summaries are removed if all their
/// targets are. Returns Code::not_found if one of `commits` is not on the chain, Code::invalid if
/// nothing would remain.
Result<Rewritten> abandon(Draft& draft, const store::Reader& reader, const Folder& folder,
                          const std::string& ref, const std::vector<Oid>& commits);

/// The changes to an amended commit. At least one is set.
struct Amendment {
  std::optional<std::string> text;     ///< for a commit that has a text
  std::optional<std::string> message;  ///< its label in listings; empty: none
  std::optional<std::string> author;
};

/// Replaces a commit of the first-parent chain of `ref`, without its raw items and bundle, and
/// copies those that follow. Returns Code::not_found if it is not on the chain, Code::invalid if it
/// has no text to replace.
Result<Rewritten> amend(Draft& draft, const store::Reader& reader, const std::string& ref,
                        const Oid& commit, const Amendment& amendment);

}  // namespace spoor::graph
