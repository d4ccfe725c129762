#include "store/ancestry.h"

#include <queue>
#include <unordered_set>

#include <fmt/format.h>

namespace spoor::store {

Result<Oid> ancestor_at(const Reader& reader, const Oid& from, std::uint64_t depth) {
  Oid at = from;
  auto commit = TRY(reader.commit(at));
  if (depth > commit->depth) {
    return invalid(fmt::format("{} has no ancestor at depth {}", from.hex(12), depth));
  }
  while (commit->depth > depth) {
    // The parent's own skip is the better hop when it lands nearer to `depth`
    // than ours would overshoot; as in Bitcoin's CBlockIndex::GetAncestor.
    const bool can_skip = commit->skip && skip_height(commit->depth) >= depth;
    const std::uint64_t skip_to = skip_height(commit->depth);
    const std::uint64_t parent_skip = commit->depth >= 2 ? skip_height(commit->depth - 1) : 0;
    const bool parent_skips_better =
        skip_to > depth && parent_skip >= depth && parent_skip + 2 < skip_to;
    at = can_skip && !parent_skips_better ? *commit->skip : commit->parents.at(0);
    commit = TRY(reader.commit(at));
  }
  return at;
}

Result<std::optional<Oid>> skip_of_child(const Reader& reader, const Oid& parent,
                                         std::uint64_t depth) {
  if (depth < 2) return std::optional<Oid>();
  return std::optional<Oid>(TRY(ancestor_at(reader, parent, skip_height(depth))));
}

Result<bool> is_ancestor(const Reader& reader, const Oid& ancestor, const Oid& of) {
  if (ancestor == of) return true;
  const auto wanted = TRY(reader.commit(ancestor));

  // The first-parent chain in O(log n); other lines hang off the merges on it,
  // and only those above the ancestor's generation can lead there.
  std::vector<Oid> tips = {of};
  std::unordered_set<Oid> seen;
  while (!tips.empty()) {
    const Oid tip = tips.back();
    tips.pop_back();
    if (!seen.insert(tip).second) continue;
    if (tip == ancestor) return true;
    const auto commit = TRY(reader.commit(tip));
    if (commit->gen <= wanted->gen) continue;
    if (commit->gen == commit->depth) {  // No merge below: the chain is the history.
      if (commit->depth < wanted->depth) continue;
      if (TRY(ancestor_at(reader, tip, wanted->depth)) == ancestor) return true;
      continue;
    }
    for (const Oid& parent : commit->parents) tips.push_back(parent);
  }
  return false;
}

Result<void> walk_history(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit) {
  struct Later {
    bool operator()(const NamedCommit& a, const NamedCommit& b) const {
      if (a.commit->gen != b.commit->gen) return a.commit->gen < b.commit->gen;
      return a.oid > b.oid;
    }
  };
  std::priority_queue<NamedCommit, std::vector<NamedCommit>, Later> open;
  std::unordered_set<Oid> seen;
  const auto push = [&](const Oid& oid) -> Result<void> {
    if (seen.insert(oid).second) open.push({oid, TRY(reader.commit(oid))});
    return {};
  };
  for (const Oid& tip : tips) TRY(push(tip));

  while (!open.empty()) {
    const NamedCommit next = open.top();
    open.pop();
    if (open.empty() && next.commit->gen == next.commit->depth) {
      // One line is left, and it has no merges: hand it over as one run.
      return reader.run(next.oid, next.commit->depth + 1, visit);
    }
    if (!visit(next)) return {};
    for (const Oid& parent : next.commit->parents) TRY(push(parent));
  }
  return {};
}

namespace {

// Walks from `tip` down its first parents until a commit that is seen already.
Result<bool> walk_unseen(const Reader& reader, const Oid& tip, std::unordered_set<Oid>& hidden,
                         const Reader::Visitor& visit);

// Everything reachable from `tip`.
Result<void> collect(const Reader& reader, const Oid& tip, std::unordered_set<Oid>& out) {
  std::vector<Oid> open = {tip};
  while (!open.empty()) {
    const Oid next = open.back();
    open.pop_back();
    if (!out.insert(next).second) continue;
    for (const Oid& parent : TRY(reader.commit(next))->parents) open.push_back(parent);
  }
  return {};
}

Result<bool> walk_unseen(const Reader& reader, const Oid& tip, std::unordered_set<Oid>& hidden,
                         const Reader::Visitor& visit) {
  std::optional<Oid> next = tip;
  while (next && !hidden.contains(*next)) {
    const auto commit = TRY(reader.commit(*next));
    if (!visit({*next, commit})) return false;
    if (commit->op == Op::merge) {
      // What the second parent adds is what the first one's history lacks.
      std::unordered_set<Oid> inner = hidden;
      TRY(collect(reader, commit->parents[0], inner));
      if (!TRY(walk_unseen(reader, commit->parents[1], inner, visit))) return false;
    }
    next.reset();
    if (!commit->parents.empty()) next = commit->parents[0];
  }
  return true;
}

}  // namespace

Result<void> walk_chain(const Reader& reader, const Oid& tip, const Reader::Visitor& visit) {
  const auto top = TRY(reader.commit(tip));
  if (top->gen == top->depth) return reader.run(tip, top->depth + 1, visit);
  std::unordered_set<Oid> hidden;
  TRY(walk_unseen(reader, tip, hidden, visit));
  return {};
}

}  // namespace spoor::store
