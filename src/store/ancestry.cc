#include "store/ancestry.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace spoor::store {

Result<void> walk_to(const Reader& reader, const Oid& from, std::uint64_t depth,
                     const std::function<void(const Oid&)>& visit) {
  Oid at = from;
  auto commit = TRY(reader.commit(at));
  if (depth > commit->depth) {
    return invalid(fmt::format("{} has no ancestor at depth {}", from.hex(12), depth),
                   "count from a later commit");
  }
  visit(at);
  while (commit->depth > depth) {
    const bool skips = commit->skip && skips_toward(commit->depth, depth);
    const std::uint64_t next = skips ? skip_height(commit->depth) : commit->depth - 1;
    at = skips ? *commit->skip : commit->parents.at(0);
    commit = TRY(reader.commit_toward(at, next - depth));
    if (commit->depth < depth) {
      return corrupt(fmt::format("{} names ancestors that are not its own", from.hex(12)),
                     "run 'spoor store fsck'");
    }
    visit(at);
  }
  return {};
}

Result<Oid> ancestor_at(const Reader& reader, const Oid& from, std::uint64_t depth) {
  Oid last;
  TRY(walk_to(reader, from, depth, [&](const Oid& at) { last = at; }));
  return last;
}

Result<bool> is_on_line(const Reader& reader, const Oid& commit, const Oid& tip) {
  const std::uint64_t depth = TRY(reader.commit(commit))->depth;
  if (depth > TRY(reader.commit(tip))->depth) return false;
  return TRY(ancestor_at(reader, tip, depth)) == commit;
}

Result<std::uint64_t> shared_length(const Reader& reader, const Oid& one, const Oid& other) {
  std::uint64_t shared = 0;
  std::uint64_t most =
      std::min(TRY(reader.commit(one))->depth, TRY(reader.commit(other))->depth) + 1;
  while (shared < most) {
    const std::uint64_t depth = shared + (most - shared) / 2;
    if (TRY(ancestor_at(reader, one, depth)) == TRY(ancestor_at(reader, other, depth))) {
      shared = depth + 1;
    } else {
      most = depth;
    }
  }
  return shared;
}

Result<std::optional<Oid>> skip_of_child(const Reader& reader, const Oid& parent,
                                         std::uint64_t depth) {
  if (depth < 2) return std::optional<Oid>();
  return std::optional<Oid>(TRY(ancestor_at(reader, parent, skip_height(depth))));
}

namespace {

Error lies_about_generation(const Oid& oid) {
  return corrupt(fmt::format("commit {} is of no later generation than its parent", oid.hex(12)),
                 "run 'spoor store fsck'");
}

// Reads a parent of `child`. All walks rely on a parent's generation being smaller than its
// child's, so a forged commit is detected here.
Result<NamedCommit> parent_of(const Reader& reader, const NamedCommit& child, const Oid& parent) {
  NamedCommit named{parent, TRY(reader.commit(parent))};
  if (named.commit->gen >= child.commit->gen) return lies_about_generation(child.oid);
  return named;
}

// Walks the first-parent chain from `from` like Reader::run(), and checks generations.
Result<void> run_down(const Reader& reader, const Oid& from, const Reader::Visitor& visit) {
  std::uint64_t child_gen = std::numeric_limits<std::uint64_t>::max();
  Oid child;
  bool is_forged = false;
  TRY(reader.run(from, std::numeric_limits<std::size_t>::max(), [&](const NamedCommit& named) {
    is_forged = named.commit->gen >= child_gen;
    if (is_forged) return false;
    child_gen = named.commit->gen;
    child = named.oid;
    return visit(named);
  }));
  if (is_forged) return lies_about_generation(child);
  return {};
}

}  // namespace

Result<std::vector<Oid>> merge_bases(const Reader& reader, const Oid& one, const Oid& other) {
  // Paints both histories from the newest generation down, so a commit has its final paint when it
  // is reached. Commits below a base are stale.
  constexpr unsigned kOne = 1;
  constexpr unsigned kOther = 2;
  constexpr unsigned kStale = 4;
  std::unordered_map<Oid, unsigned> paint;
  const auto older = [](const NamedCommit& a, const NamedCommit& b) {
    return std::tie(a.commit->gen, a.oid) < std::tie(b.commit->gen, b.oid);
  };
  std::priority_queue<NamedCommit, std::vector<NamedCommit>, decltype(older)> queue(older);
  std::size_t fresh = 0;  // In the queue and not stale.
  const auto add = [&](const NamedCommit& named, unsigned color) {
    unsigned& mine = paint[named.oid];
    const bool is_new = mine == 0;
    const bool was_fresh = !is_new && (mine & kStale) == 0;
    mine |= color;
    const bool is_fresh = (mine & kStale) == 0;
    if (is_new) queue.push(named);
    if (is_fresh && !was_fresh) ++fresh;
    if (!is_fresh && was_fresh) --fresh;
  };
  add({one, TRY(reader.commit(one))}, kOne);
  add({other, TRY(reader.commit(other))}, kOther);

  std::vector<Oid> bases;
  while (fresh > 0) {
    const NamedCommit top = queue.top();
    queue.pop();
    unsigned color = paint[top.oid];
    if ((color & kStale) == 0) {
      --fresh;
      if (color == (kOne | kOther)) {
        bases.push_back(top.oid);
        color |= kStale;
      }
    }
    for (const Oid& parent : top.commit->parents) {
      add(TRY(parent_of(reader, top, parent)), color);
    }
  }
  std::sort(bases.begin(), bases.end());
  return bases;
}

Result<bool> is_ancestor(const Reader& reader, const Oid& ancestor, const Oid& of) {
  const auto wanted = TRY(reader.commit(ancestor));

  // Checks a first-parent chain in O(log n). The remaining commits are on the lines that its merges
  // bring in, down to the ancestor's generation.
  struct Side {
    Oid tip;
    std::optional<NamedCommit> child;  // The merge that brought it in.
  };
  std::vector<Side> sides = {{of, std::nullopt}};
  std::unordered_set<Oid> seen;
  while (!sides.empty()) {
    const Side side = sides.back();
    sides.pop_back();
    const auto commit = TRY(reader.commit(side.tip));
    if (side.child) TRY(parent_of(reader, *side.child, side.tip));
    if (side.tip == ancestor) return true;
    const bool may_lead_there = commit->gen > wanted->gen && !seen.contains(side.tip);
    if (!may_lead_there) continue;
    if (TRY(is_on_line(reader, ancestor, side.tip))) return true;
    TRY(run_down(reader, side.tip, [&](const NamedCommit& named) {
      if (named.commit->gen <= wanted->gen || !seen.insert(named.oid).second) return false;
      if (named.commit->op == Op::merge) sides.push_back({named.commit->parents[1], named});
      return true;
    }));
  }
  return false;
}

namespace {

// Newest first: a commit's generation is larger than those of its ancestors.
struct ByGeneration {
  bool operator()(const NamedCommit& a, const NamedCommit& b) const {
    if (a.commit->gen != b.commit->gen) return a.commit->gen < b.commit->gen;
    return a.oid > b.oid;
  }
};
using ByGenerationQueue = std::priority_queue<NamedCommit, std::vector<NamedCommit>, ByGeneration>;

// A chain up to and including the next merge. If there is nothing to merge in, commits are visited
// as they are read.
struct Run {
  std::optional<NamedCommit> merge;  // Already visited, unlike its parents.
  bool is_stopped = false;
};
Result<Run> run_to_merge(const Reader& reader, const Oid& from, const Reader::Visitor& visit) {
  Run run;
  TRY(run_down(reader, from, [&](const NamedCommit& named) {
    run.is_stopped = !visit(named);
    if (named.commit->op == Op::merge) run.merge = named;
    return !run.is_stopped && !run.merge;
  }));
  return run;
}

// Returns the commits that a merge adds to the history of its first parent. Reads only the commits
// of both sides above their common history.
using Commits = std::unordered_map<Oid, std::shared_ptr<const Commit>>;
Result<Commits> added_by(const Reader& reader, const NamedCommit& merge) {
  ByGenerationQueue open;
  std::unordered_map<Oid, bool> in_base;  // For every commit met.
  std::size_t undecided = 0;              // In `open` and not known to be in the base's history.
  const auto meet = [&](const NamedCommit& named, bool is_in_base) {
    const auto [at, is_new] = in_base.try_emplace(named.oid, is_in_base);
    if (is_new) {
      open.push(named);
      if (!is_in_base) ++undecided;
    } else if (is_in_base && !at->second) {
      at->second = true;  // Still open: its children are all above it.
      --undecided;
    }
  };
  meet(TRY(parent_of(reader, merge, merge.commit->parents[0])), true);
  meet(TRY(parent_of(reader, merge, merge.commit->parents[1])), false);

  Commits added;
  while (undecided > 0) {
    const NamedCommit next = open.top();
    open.pop();
    const bool is_in_base = in_base.at(next.oid);
    if (!is_in_base) {
      --undecided;
      added.emplace(next.oid, next.commit);
    }
    for (const Oid& parent : next.commit->parents) {
      meet(TRY(parent_of(reader, next, parent)), is_in_base);
    }
  }
  return added;
}

// Returns the commits of `left` in the history of `tip`, newest first in chain order: the reverse
// of a descent that enters first parents first.
std::vector<NamedCommit> in_chain_order(const Oid& tip, Commits left) {
  struct Step {
    NamedCommit named;
    std::size_t parents_seen = 0;
  };
  std::vector<Step> path;
  std::vector<NamedCommit> order;
  const auto enter = [&](const Oid& oid) {
    if (auto found = left.extract(oid)) path.push_back({{oid, std::move(found.mapped())}});
  };
  for (enter(tip); !path.empty();) {
    Step& step = path.back();
    const std::vector<Oid>& parents = step.named.commit->parents;
    if (step.parents_seen < parents.size()) {
      enter(parents[step.parents_seen++]);
    } else {
      order.push_back(std::move(step.named));
      path.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Walks in the order of `git log --topo-order`, incrementally, like git's own walk over generation
// numbers: a commit is visited after all its children. They all have a larger gen, so exploring
// down to its gen finds all of them.
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
      // The first parent last, so that it is visited next.
      for (auto parent = next.commit->parents.rbegin(); parent != next.commit->parents.rend();
           ++parent) {
        TRY(take_child(next, *parent));
      }
    }
    return {};
  }

 private:
  // Visits the only line left as a run, up to the next merge. False if the visitor stopped.
  Result<bool> follow_line(const NamedCommit& from) {
    const Run run = TRY(run_to_merge(reader_, from.oid, visit_));
    if (run.is_stopped) return false;
    if (!run.merge) return true;
    open_ = {};  // Drops the commits above the merge.
    const std::vector<Oid>& parents = run.merge->commit->parents;
    for (const Oid& parent : parents) {
      pending_[parent] = 1;
      open_.push(TRY(parent_of(reader_, *run.merge, parent)));
    }
    TRY(take_child(*run.merge, parents[1]));
    TRY(take_child(*run.merge, parents[0]));
    return true;
  }

  // Counts the children of everything below the commits with a gen above `gen`.
  Result<void> explore_above(std::uint64_t gen) {
    while (!open_.empty() && open_.top().commit->gen > gen) {
      const NamedCommit next = open_.top();
      open_.pop();
      for (const Oid& parent : next.commit->parents) {
        const NamedCommit named = TRY(parent_of(reader_, next, parent));
        const auto [place, is_new] = pending_.try_emplace(parent, 0);
        ++place->second;
        if (is_new) open_.push(named);
      }
    }
    return {};
  }

  Result<void> take_child(const NamedCommit& child, const Oid& parent) {
    const NamedCommit named = TRY(parent_of(reader_, child, parent));
    TRY(explore_above(named.commit->gen));
    if (--pending_.at(parent) == 0) ready_.push_back(named);
    return {};
  }

  const Reader& reader_;
  const Reader::Visitor& visit_;
  std::unordered_map<Oid, std::size_t> pending_;  // Children not visited yet, for each commit met.
  std::vector<NamedCommit> ready_;                // A stack, so that a line is followed to its end.
  ByGenerationQueue open_;
};

// The number of a chain's commits that are read with one call. More than one chain may be open, and
// the newest commit is on one or the other.
constexpr std::size_t kReadAhead = 64;

struct ByTime {
  bool operator()(const NamedCommit& a, const NamedCommit& b) const { return key(a) < key(b); }
  static std::tuple<Timestamp, std::uint64_t, Oid> key(const NamedCommit& named) {
    return {named.commit->time.value_or(Timestamp{}), named.commit->depth, named.oid};
  }
};

class TimeWalk {
 public:
  TimeWalk(const Reader& reader, const Reader::Visitor& visit) : reader_(reader), visit_(visit) {}

  Result<void> run(const std::vector<Oid>& tips) {
    for (const Oid& tip : tips) TRY(meet(tip));
    while (!open_.empty()) {
      const NamedCommit next = open_.top();
      open_.pop();
      if (!visit_(next)) return {};
      for (const Oid& parent : next.commit->parents) TRY(meet(parent));
    }
    return {};
  }

 private:
  Result<void> meet(const Oid& oid) {
    if (!met_.insert(oid).second) return {};
    if (!ahead_.contains(oid)) TRY(read_ahead(oid));
    const auto found = ahead_.extract(oid);
    open_.push({oid, found ? std::move(found.mapped()) : TRY(reader_.commit(oid))});
    return {};
  }

  Result<void> read_ahead(const Oid& from) {
    return reader_.run(
        from, kReadAhead,
        [&](const NamedCommit& named) {
          if (named.oid != from && met_.contains(named.oid)) return false;
          return ahead_.emplace(named.oid, named.commit).second;
        },
        Reader::Keep::nothing);
  }

  const Reader& reader_;
  const Reader::Visitor& visit_;
  std::unordered_set<Oid> met_;
  Commits ahead_;  // Read, and not met yet.
  std::priority_queue<NamedCommit, std::vector<NamedCommit>, ByTime> open_;
};

}  // namespace

Result<void> walk_history(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit) {
  TopologicalWalk walk(reader, visit);
  TRY(walk.start(tips));
  return walk.run();
}

Result<void> walk_by_time(const Reader& reader, const std::vector<Oid>& tips,
                          const Reader::Visitor& visit) {
  return TimeWalk(reader, visit).run(tips);
}

Result<void> walk_chain(const Reader& reader, const Oid& tip, const Reader::Visitor& visit) {
  std::optional<Oid> next = tip;
  while (next) {
    const Run run = TRY(run_to_merge(reader, *next, visit));
    if (run.is_stopped || !run.merge) return {};
    const std::vector<Oid>& parents = run.merge->commit->parents;
    for (const NamedCommit& named : in_chain_order(parents[1], TRY(added_by(reader, *run.merge)))) {
      if (!visit(named)) return {};
    }
    next = parents[0];
  }
  return {};
}

}  // namespace spoor::store
