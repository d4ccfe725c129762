#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "store/reader.h"

namespace spoor::store {

/// Returns the first-parent ancestor of `from` at `depth`, following `skip` pointers in O(log n)
/// reads. Code::invalid if `depth` is larger than the depth of `from`.
Result<Oid> ancestor_at(const Reader& reader, const Oid& from, std::uint64_t depth);

/// Visits the commits on the way of ancestor_at(): `from`, then each that the one before names as
/// `skip` or as first parent, down to the ancestor at `depth`. The same errors.
Result<void> walk_to(const Reader& reader, const Oid& from, std::uint64_t depth,
                     const std::function<void(const Oid&)>& visit);

/// Returns whether `commit` is `tip` or one of its first-parent ancestors.
Result<bool> is_on_line(const Reader& reader, const Oid& commit, const Oid& tip);

/// Returns how many commits, the oldest, the first-parent lines of `one` and `other` share. Reads a
/// few commits for each doubling of the lines.
Result<std::uint64_t> shared_length(const Reader& reader, const Oid& one, const Oid& other);

/// Returns whether `ancestor` is `of` or reachable from it through any parent.
Result<bool> is_ancestor(const Reader& reader, const Oid& ancestor, const Oid& of);

/// Returns the best common ancestors of `one` and `other`, in order of name: the common ancestors
/// (a commit counts as its own ancestor) that are not ancestors of another common ancestor. Empty
/// if the histories share nothing.
Result<std::vector<Oid>> merge_bases(const Reader& reader, const Oid& one, const Oid& other);

/// Returns the value of `skip` for a child of `parent`. `depth` is the child's: the parent's + 1.
Result<std::optional<Oid>> skip_of_child(const Reader& reader, const Oid& parent,
                                         std::uint64_t depth);

/// Visits the history of `tips`, each commit once, children before their parents. Follows a line to
/// its end before the next begins (`git log --topo-order`) and ignores timestamps. The visitor
/// returns false to stop.
Result<void> walk_history(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit);

/// Visits the history of `tips`, each commit once: always the newest by its time, then the deepest,
/// of the tips and of the parents of those visited. So newest first, if no commit is older than its
/// parents. The visitor returns false to stop. Keeps the name of each commit visited.
Result<void> walk_by_time(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit);

/// Visits the commits of a chain in *chain order*, newest first: a commit, then the commits that
/// its second parent's chain adds, then its first parent's chain. Visits each commit once.
Result<void> walk_chain(const Reader& reader, const Oid& tip, const Reader::Visitor& visit);

}  // namespace spoor::store
