#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "store/oid_table.h"
#include "store/reader.h"

namespace spoor::cli::git {

using store::Oid;

/// A numbered history, in an order in which parents come before their children. Among a commit's
/// children, the child with the longest future comes last. So at any time few commits wait for
/// further children: about log2 of all, plus those that wait for the other side of a merge. Takes
/// about 80 bytes a commit.
class Order {
 public:
  using Id = store::OidTable::Id;
  static constexpr Id kNone = 0xffffffff;

  /// Reads the history of `tips`.
  static Result<Order> of(const store::Reader& reader, const std::vector<Oid>& tips);

  std::size_t size() const { return names_.size(); }
  const Oid& name(Id id) const { return names_.name(id); }
  Id find(const Oid& oid) const { return names_.find(oid).value_or(kNone); }
  Id first_parent(Id id) const { return first_[id]; }
  Id second_parent(Id id) const { return second_[id]; }

  /// Returns the number of children of a commit, each counted once per mention of this parent.
  std::uint32_t children(Id id) const { return children_[id]; }

  /// Visits every commit once, parents first, until the first error.
  Result<void> each(const std::function<Result<void>(Id)>& visit) const;

 private:
  store::OidTable names_;
  std::vector<Id> first_;
  std::vector<Id> second_;
  std::vector<std::uint32_t> children_;
  std::vector<Id> newest_first_;
};

}  // namespace spoor::cli::git
