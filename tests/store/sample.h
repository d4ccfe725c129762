#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/blob.h"
#include "store/commit.h"
#include "store/object.h"
#include "store/store.h"

namespace spoor::store::sample {

/// A blob as a default store keeps it.
inline NewObject blob(std::string_view text) { return encode_content(text, Salter()).back(); }

/// A moment `seconds` after 2030 began.
inline Timestamp at(std::int64_t seconds) { return {(1'893'456'000 + seconds) * 1'000'000}; }

/// Makes commits that obey the format: remembers what `depth` and `skip` need.
class History {
 public:
  /// A user's turn after `parent` (a root without one): its content, then itself.
  std::vector<NewObject> turn(const std::optional<Oid>& parent, std::string_view text) {
    NewObject content = blob(text);
    Commit commit;
    commit.type = Type::user;
    commit.content = Content{content.oid};
    if (parent) {
      commit.parents = {*parent};
      commit.depth = places_.at(*parent).depth + 1;
      commit.gen = commit.depth;
      if (commit.depth >= 2) commit.skip = ancestor(*parent, skip_height(commit.depth));
    }
    NewObject object = new_object(Kind::commit, serialize(commit).value());
    places_.insert_or_assign(object.oid, Place{commit.depth, parent.value_or(Oid{})});
    last_ = object.oid;
    return {std::move(content), std::move(object)};
  }

  /// The commit made last.
  const Oid& last() const { return last_; }

 private:
  struct Place {
    std::uint64_t depth;
    Oid parent;
  };

  Oid ancestor(Oid oid, std::uint64_t depth) const {
    while (places_.at(oid).depth > depth) oid = places_.at(oid).parent;
    return oid;
  }

  std::map<Oid, Place> places_;
  Oid last_;
};

/// A transaction that moves one ref.
inline Transaction move_ref(std::string name, std::optional<Oid> before, std::optional<Oid> after,
                            std::vector<NewObject> objects = {}, Timestamp time = at(0)) {
  Transaction transaction;
  transaction.objects = std::move(objects);
  transaction.refs = {{std::move(name), before, after}};
  transaction.actor = "tester";
  transaction.command = "test";
  transaction.time = time;
  return transaction;
}

/// Appends a turn to a branch, by compare-and-swap from where the branch is.
inline Result<Receipt> append(Store& store, History& history, const std::string& branch,
                              std::string_view text, Timestamp time = at(0)) {
  const auto tip = TRY(store.ref(branch_ref(branch)));
  auto objects = history.turn(tip, text);
  const Oid commit = objects.back().oid;
  return store.commit(move_ref(branch_ref(branch), tip, commit, std::move(objects), time));
}

}  // namespace spoor::store::sample
