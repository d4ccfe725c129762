#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "store/object.h"
#include "store/postgres/key_database.h"
#include "store/postgres/key_tree.h"
#include "store/postgres/seal.h"

namespace spoor::store::postgres {

/// The bit of `objects.kind` of a sealed row.
constexpr std::int64_t kSealedBit = 256;

/// Returns whether objects of a kind are sealed, in a store with keys. All but commits are: no
/// erasure removes those, and the server reads them to follow a history.
constexpr bool is_sealable(Kind kind) { return kind != Kind::commit; }

/// Returns how many bytes an object has at least whose sealed body has `size`: the edition, and
/// what encrypt() adds. It has more if it was compressed.
constexpr std::size_t least_text_of(std::size_t size) {
  constexpr std::size_t kAdded = 1 + std::tuple_size_v<Nonce> + 1 + 16;
  return size - std::min(size, kAdded);
}

/// What `objects` has of an object. A sealed one's body is the edition of its key (seal.h)
/// and what encrypt() made of its own, about its name and kind.
struct StoredRow {
  Oid oid;
  std::int64_t kind = 0;
  std::string_view body;
};

/// A key of an object.
struct KeyName {
  Oid oid;
  Edition edition = 0;
};

/// Reads the list of the keys that an erasure has yet to destroy, which is the value of the
/// property kUnfinishedErasure: lines of an object's name and an edition. Skips other lines.
std::vector<KeyName> parse_pending(std::string_view list);

/// Seals the rows of a store and opens them. Keeps the keys that it had from their database, so few
/// calls ask for any.
///
/// An object is sealed with the first of its keys that is neither destroyed nor about to be, one
/// that the same change erases and puts with the second. So every row of it since the last erasure
/// has the same one, also one that was never committed, and one erasure makes all of them
/// unreadable.
///
/// Safe to call from any thread.
class Seals {
 public:
  Seals(Address address, Patience patience) : keys_(std::move(address), std::move(patience)) {}

  /// Forgets the keys. `erasures`: Properties::erasures as of now, `pending`: the keys that are to
  /// be destroyed then, none of which is used to seal.
  void renew(std::int64_t erasures, std::vector<KeyName> pending);

  /// The last renew()'s, up to which its keys may be used to seal.
  std::int64_t erasures() const;

  /// Gets the keys for seal() of these objects, which are put after `erased` is erased.
  Result<void> prepare(std::span<const NewObject> objects, std::span<const Oid> erased);

  /// Returns the body of a sealed row. prepare() must have got its key since renew().
  std::string seal(const NewObject& object, bool is_erased) const;

  /// Gets the keys for open() of all of these rows at once.
  Result<void> learn(std::span<const StoredRow> rows);

  /// Returns whether the key of a row is there, which learn() got; true of one that is not sealed.
  bool has_key(const StoredRow& row) const;

  /// Returns the object of a sealed row. Code::not_found if its key is gone: it was erased, and
  /// its row comes from a copy. Code::corrupt if it was changed.
  Result<Object> open(const StoredRow& row);

  /// Seals what is cached under `key`.
  Result<std::string> seal_cached(std::string_view key, std::string_view value);

  /// Opens it; nullopt if that is no longer possible.
  Result<std::optional<std::string>> open_cached(std::string_view key, std::string_view sealed);

  /// See KeyDatabase.
  Result<void> prepare_to_destroy();

  /// Destroys keys for good.
  Result<void> destroy(std::span<const KeyName> names);

  /// Destroys all.
  Result<void> remove();

 private:
  Result<void> learn_rows(std::span<const StoredRow> rows);
  Result<void> learn_addresses(std::vector<std::uint64_t> addresses);
  Result<void> learn_pending();

  mutable std::mutex mutex_;  // Guards what follows.
  KeyDatabase keys_;
  KeyTree tree_;                            // What is known of it, without pending ones.
  std::unordered_set<std::uint64_t> gone_;  // Not in the tree, or pending.
  std::vector<KeyName> pending_;            // Not yet taken from tree_.
  bool has_begun_ = false;                  // tree_ has the largest nodes.
  std::optional<Key> cache_key_;
  std::int64_t erasures_ = 0;
};

}  // namespace spoor::store::postgres
