#include "cli/git/order.h"

#include <algorithm>

#include "store/ancestry.h"

namespace spoor::cli::git {

Result<Order> Order::of(const store::Reader& reader, const std::vector<Oid>& tips) {
  Order order;
  const auto number = [&order](const Oid& oid) {
    const Id id = order.names_.intern(oid);
    if (id == order.first_.size()) {
      order.first_.push_back(kNone);
      order.second_.push_back(kNone);
      order.children_.push_back(0);
    }
    return id;
  };
  const auto parent = [&](const Oid& oid) {
    const Id id = number(oid);
    ++order.children_[id];
    return id;
  };
  TRY(store::walk_history(reader, tips, [&](const store::NamedCommit& named) {
    const Id id = number(named.oid);
    order.newest_first_.push_back(id);
    const auto& parents = named.commit->parents;
    if (!parents.empty()) {
      const Id first = parent(parents[0]);
      order.first_[id] = first;
    }
    if (parents.size() > 1) {
      const Id second = parent(parents[1]);
      order.second_[id] = second;
    }
    return true;
  }));
  return order;
}

// First parents form a forest. The walk descends into children in order of the size of their
// descendants, the smallest first. A merge waits until its second parent was visited.
Result<void> Order::each(const std::function<Result<void>(Id)>& visit) const {
  std::vector<std::uint32_t> weight(size(), 1);
  for (const Id id : newest_first_) {
    if (first_[id] != kNone) weight[first_[id]] += weight[id];
  }
  // Linked lists in vectors: the children by first parent, and the merges that wait for a parent.
  std::vector<Id> child(size(), kNone);
  std::vector<Id> next(size(), kNone);
  std::vector<Id> waiting(size(), kNone);
  std::vector<Id> next_waiting(size(), kNone);
  std::vector<Id> open;
  for (const Id id : newest_first_) {
    if (first_[id] == kNone) {
      open.push_back(id);
    } else {
      next[id] = std::exchange(child[first_[id]], id);
    }
  }

  std::vector<bool> is_done(size(), false);
  std::vector<Id> siblings;
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (const Id other = second_[id]; other != kNone && !is_done[other]) {
      next_waiting[id] = std::exchange(waiting[other], id);
      continue;
    }
    TRY(visit(id));
    is_done[id] = true;
    siblings.clear();
    for (Id each = child[id]; each != kNone; each = next[each]) siblings.push_back(each);
    std::stable_sort(siblings.begin(), siblings.end(),
                     [&](Id a, Id b) { return weight[a] > weight[b]; });
    open.insert(open.end(), siblings.begin(), siblings.end());
    for (Id each = waiting[id]; each != kNone; each = next_waiting[each]) open.push_back(each);
  }
  return {};
}

}  // namespace spoor::cli::git
