#include "graph/carry.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "compile/fold.h"
#include "graph/directives.h"
#include "store/ancestry.h"

namespace spoor::graph {

using compile::targets_of;
using store::Commit;

namespace {

using Map = std::unordered_map<Oid, Oid>;

std::optional<Oid> find(const Map& map, const Oid& oid) {
  const auto found = map.find(oid);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

class Carrying {
 public:
  Carrying(Draft& draft, const store::Reader& reader, const Replaced& replaced)
      : draft_(draft), reader_(reader), replaced_(replaced) {}

  Result<Carried> run(std::span<const Oid> tips) {
    for (const store::NamedCommit& each : TRY(candidates(tips))) TRY(add(each));
    return std::move(done_);
  }

 private:
  /// Returns the commits that may have a replaced ancestor, parents before children.
  Result<std::vector<store::NamedCommit>> candidates(std::span<const Oid> tips) const {
    std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [original, now] : replaced_.stand_in) {
      oldest = std::min(oldest, TRY(reader_.commit(original))->gen);
    }
    std::vector<store::NamedCommit> all;
    std::unordered_set<Oid> seen;
    std::vector<Oid> open(tips.begin(), tips.end());
    while (!open.empty()) {
      const Oid oid = open.back();
      open.pop_back();
      if (replaced_.stand_in.contains(oid) || !seen.insert(oid).second) continue;
      const auto commit = TRY(reader_.commit(oid));
      if (commit->gen <= oldest) continue;
      all.push_back({oid, commit});
      open.insert(open.end(), commit->parents.begin(), commit->parents.end());
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.commit->gen != b.commit->gen ? a.commit->gen < b.commit->gen : a.oid < b.oid;
    });
    return all;
  }

  Result<void> add(const store::NamedCommit& original) {
    Commit commit = *original.commit;
    std::vector<Oid> parents;
    for (const Oid& parent : commit.parents) {
      const auto copy = find(done_.copies, parent);
      parents.push_back(copy ? *copy : find(replaced_.stand_in, parent).value_or(parent));
    }
    if (parents == commit.parents) return {};
    const Oid follows = parents.front();
    if (parents.size() > 1 && TRY(store::is_ancestor(reader_, parents[1], follows))) {
      done_.copies.emplace(original.oid, follows);  // `follows` has its other side already.
      return {};
    }
    const std::vector<Oid> before = TRY(targets_of(reader_, commit));
    const std::vector<Oid> targets = TRY(targets_now(before, commit, follows));
    if (targets.empty() && !before.empty()) {
      done_.copies.emplace(original.oid, follows);
      done_.dropped.push_back(original.oid);
      return {};
    }
    for (Oid& about : commit.about) about = mapped(about);
    done_.copies.emplace(original.oid,
                         TRY(draft_.copy(original.oid, std::move(commit), parents, targets)));
    return {};
  }

  Oid mapped(const Oid& oid) const {
    if (const auto copy = find(done_.copies, oid)) return *copy;
    return find(replaced_.same, oid).value_or(oid);
  }

  Result<std::vector<Oid>> targets_now(const std::vector<Oid>& before, const Commit& commit,
                                       const Oid& follows) const {
    std::vector<Oid> targets;
    for (const Oid& target : before) {
      const Oid now = mapped(target);
      // The targets of a pick are on its other side.
      if (commit.op != store::Op::merge) {
        const auto known = check_entry(reader_, follows, now);
        const bool is_gone = !known && (known.error().code == Error::Code::not_found ||
                                        known.error().code == Error::Code::invalid);
        if (is_gone) continue;
        TRY(known);
      }
      if (std::find(targets.begin(), targets.end(), now) == targets.end()) targets.push_back(now);
    }
    return targets;
  }

  Draft& draft_;
  const store::Reader& reader_;
  const Replaced& replaced_;
  Carried done_;
};

}  // namespace

Result<Carried> carry(Draft& draft, const store::Reader& reader, std::span<const Oid> tips,
                      const Replaced& replaced) {
  Draft::Op op(draft);  // All copies, or none.
  Carried carried = TRY(Carrying(draft, reader, replaced).run(tips));
  op.finish();
  return carried;
}

}  // namespace spoor::graph
