#include "store/ancestry.h"

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "store/lines.h"

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

  const auto from = TRY(reader.commit(of));
  if (from->gen <= wanted->gen) return false;
  if (from->depth >= wanted->depth && TRY(ancestor_at(reader, of, wanted->depth)) == ancestor) {
    return true;  // On the first-parent chain: O(log n).
  }

  // Through merges: only what lies above the ancestor's generation can lead there.
  std::vector<Oid> open = {of};
  std::unordered_set<Oid> seen;
  while (!open.empty()) {
    const Oid next = open.back();
    open.pop_back();
    if (next == ancestor) return true;
    const auto commit = TRY(reader.commit(next));
    if (commit->gen <= wanted->gen) continue;
    for (const Oid& parent : commit->parents) {
      if (seen.insert(parent).second) open.push_back(parent);
    }
  }
  return false;
}

namespace {

// The order of `git log --topo-order`, found as one goes (as git's own walk over
// generation numbers does): a commit is handed out when every child of it was. Its
// children all have a larger gen, so exploring down to there counts them all.
class TopologicalWalk {
 public:
  TopologicalWalk(const Reader& reader, const Reader::Visitor& visit)
      : reader_(reader), visit_(visit) {}

  Result<void> start(const std::vector<Oid>& tips) {
    std::vector<NamedCommit> starts;
    for (const Oid& tip : tips) {
      if (pending_.contains(tip)) continue;
      starts.push_back({tip, TRY(reader_.commit(tip))});
      pending_[tip] = 0;
      open_.push(starts.back());
    }
    for (auto tip = starts.rbegin(); tip != starts.rend(); ++tip) {
      TRY(explore_above(tip->commit->gen));
      if (pending_.at(tip->oid) == 0) ready_.push_back(*tip);  // Another tip's ancestor waits.
    }
    return {};
  }

  Result<void> run() {
    while (!ready_.empty()) {
      const NamedCommit next = ready_.back();
      ready_.pop_back();
      pending_.erase(next.oid);
      if (ready_.empty() && pending_.empty()) {
        if (!TRY(follow_line(next))) return {};
        continue;
      }
      if (!visit_(next)) return {};
      // The first parent last: it is the next to be handed out.
      for (auto parent = next.commit->parents.rbegin(); parent != next.commit->parents.rend();
           ++parent) {
        TRY(take_child(*parent));
      }
    }
    return {};
  }

 private:
  struct BySmallerGen {
    bool operator()(const NamedCommit& a, const NamedCommit& b) const {
      return a.commit->gen < b.commit->gen;
    }
  };

  // One line is left: it is read as a run, up to the next merge, which is handed
  // out too. False when the visitor stopped.
  Result<bool> follow_line(const NamedCommit& from) {
    std::optional<NamedCommit> merge;
    bool stopped = false;
    TRY(reader_.run(from.oid, from.commit->depth + 1, [&](const NamedCommit& named) {
      stopped = !visit_(named);
      if (named.commit->parents.size() > 1) merge = named;
      return !stopped && !merge;
    }));
    if (stopped) return false;
    if (!merge) return true;
    while (!open_.empty()) open_.pop();  // What lay above the merge.
    for (const Oid& parent : merge->commit->parents) {
      const auto commit = TRY(reader_.commit(parent));
      pending_[parent] = 1;
      open_.push({parent, commit});
    }
    TRY(take_child(merge->commit->parents[1]));
    TRY(take_child(merge->commit->parents[0]));
    return true;
  }

  // Counts the children of everything below the commits with a gen above `gen`.
  Result<void> explore_above(std::uint64_t gen) {
    while (!open_.empty() && open_.top().commit->gen > gen) {
      const NamedCommit next = open_.top();
      open_.pop();
      for (const Oid& parent : next.commit->parents) {
        const auto [place, is_new] = pending_.try_emplace(parent, 0);
        ++place->second;
        if (is_new) open_.push({parent, TRY(reader_.commit(parent))});
      }
    }
    return {};
  }

  Result<void> take_child(const Oid& parent) {
    const NamedCommit named{parent, TRY(reader_.commit(parent))};
    TRY(explore_above(named.commit->gen));
    if (--pending_.at(parent) == 0) ready_.push_back(named);
    return {};
  }

  const Reader& reader_;
  const Reader::Visitor& visit_;
  std::unordered_map<Oid, std::size_t> pending_;  // Children not handed out yet, of what was met.
  std::vector<NamedCommit> ready_;                // A stack: a line is followed to its end.
  std::priority_queue<NamedCommit, std::vector<NamedCommit>, BySmallerGen> open_;
};

}  // namespace

Result<void> walk_history(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit) {
  TopologicalWalk walk(reader, visit);
  TRY(walk.start(tips));
  return walk.run();
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
  while (next) {
    std::optional<NamedCommit> merge;
    bool stopped = false;
    TRY(reader.run(*next, kMaxInteger, [&](const NamedCommit& named) {
      if (hidden.contains(named.oid)) return false;
      stopped = !visit(named);
      if (named.commit->op == Op::merge) merge = named;
      return !stopped && !merge;
    }));
    if (stopped) return false;
    if (!merge) return true;
    // What the second parent adds is what the first one's history lacks.
    std::unordered_set<Oid> inner = hidden;
    TRY(collect(reader, merge->commit->parents[0], inner));
    if (!TRY(walk_unseen(reader, merge->commit->parents[1], inner, visit))) return false;
    next = merge->commit->parents[0];
  }
  return true;
}

}  // namespace

Result<void> walk_chain(const Reader& reader, const Oid& tip, const Reader::Visitor& visit) {
  std::unordered_set<Oid> hidden;
  TRY(walk_unseen(reader, tip, hidden, visit));
  return {};
}

}  // namespace spoor::store
