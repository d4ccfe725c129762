#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

class Store;
struct Transaction;

/// The key of the property (Store::properties) that lists a store's tombstones, one hex name a
/// line. Every change that stores tombstones adds them (list_tombstones); otherwise readers would
/// have to search all objects for them.
inline constexpr std::string_view kTombstones = "tombstones";

/// The key of the property that is set from an erasure until compact() has cleared its remains from
/// free pages, the log, and files next to the store.
inline constexpr std::string_view kUnfinishedErasure = "erasure.unfinished";

/// Adds the names that the store's list lacks to it, with `change`, and sets the change's epoch:
/// call it again if the change is stale. Readers skip a name whose object was never stored.
Result<void> list_tombstones(const Store& store, std::span<const Oid> tombstones,
                             Transaction& change);

/// Returns the text that readers get instead of an erased content: `[erased: REASON]`, or
/// `[erased]` without a reason. No JSON text and no image begins like that.
std::string erasure_text(std::string_view reason);

/// Returns whether `text` has that form. Ask only about contents that cannot have it themselves:
/// JSON, images.
bool is_erasure_text(std::string_view text);

/// The names of a store's erased contents, with reasons. Reads each tombstone once.
///
/// Safe to call from any thread.
class ErasedNames {
 public:
  /// `store` must outlive it.
  explicit ErasedNames(const Store& store) : store_(store) {}

  /// Returns the reason (may be empty) for the erasure of this name's bytes; nullopt if no
  /// tombstone names it. Code::corrupt for a damaged tombstone.
  Result<std::optional<std::string>> reason_of(const Oid& oid) const;

  /// Returns whether the store has any tombstone.
  Result<bool> has_any() const;

 private:
  Result<void> catch_up() const;

  const Store& store_;
  mutable std::mutex mutex_;
  mutable std::string known_;  // Guarded by mutex_: the list as last read.
  mutable std::unordered_map<Oid, std::string> reasons_;  // Guarded too. By erased name.
};

}  // namespace spoor::store
