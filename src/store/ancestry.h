#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "store/reader.h"

namespace spoor::store {

/// The first-parent ancestor of `from` at `depth` (not above from's), found over
/// `skip` pointers in O(log n) reads. Code::invalid when `depth` is above it.
Result<Oid> ancestor_at(const Reader& reader, const Oid& from, std::uint64_t depth);

/// Is `commit` the commit `tip`, or on the line of first parents that leads to it?
Result<bool> is_on_line(const Reader& reader, const Oid& commit, const Oid& tip);

/// Is `ancestor` the commit `of`, or reachable from it through any parent?
Result<bool> is_ancestor(const Reader& reader, const Oid& ancestor, const Oid& of);

/// The best common ancestors of both: each is an ancestor of both (or one of them
/// itself), and of no other of its kind. In order of name; none when they share nothing.
Result<std::vector<Oid>> merge_bases(const Reader& reader, const Oid& one, const Oid& other);

/// What `skip` must say in a child of `parent` at `depth` = parent's + 1.
Result<std::optional<Oid>> skip_of_child(const Reader& reader, const Oid& parent,
                                         std::uint64_t depth);

/// Visits the history of `tips` so that children come before their parents, and a
/// line is followed to its end before another begins: `git log --topo-order`, never
/// by a clock. Each commit once. The visitor returns false to stop.
Result<void> walk_history(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit);

/// The commits of a chain in *chain order*, newest first: a commit, then what its
/// second parent's chain adds, then its first parent's chain. Each commit once.
Result<void> walk_chain(const Reader& reader, const Oid& tip, const Reader::Visitor& visit);

}  // namespace spoor::store
