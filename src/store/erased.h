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

/// The local fact (Store::local) that lists the tombstones of this copy of the store, by name in
/// hex, one a line: whoever stores a tombstone notes it first, with note_tombstones(). Without it
/// an absent content would be looked for among all objects.
inline constexpr std::string_view kTombstones = "tombstones";

/// Adds to that list what is not in it. A name whose object never came is passed over by readers.
Result<void> note_tombstones(Store& store, std::span<const Oid> tombstones);

/// What is read in place of a content that was erased: `[erased: REASON]`, `[erased]` without a
/// reason. No JSON and no picture begins like that.
std::string erasure_text(std::string_view reason);

/// Is this such a text? Only to be asked of what cannot be one by itself: JSON, a picture.
bool is_erasure_text(std::string_view text);

/// Which contents a store says were erased, and why. Reads each tombstone once.
///
/// Safe to call from any thread.
class ErasedNames {
 public:
  /// `store` must outlive it.
  explicit ErasedNames(const Store& store) : store_(store) {}

  /// The reason (may be empty) for which the bytes of this name were erased; nothing when no
  /// tombstone names it. Code::corrupt for a damaged tombstone.
  Result<std::optional<std::string>> reason_of(const Oid& oid) const;

  /// Was anything ever erased here?
  Result<bool> has_any() const;

 private:
  Result<void> catch_up() const;

  const Store& store_;
  mutable std::mutex mutex_;
  mutable std::string known_;                             // The list as it was read. Guarded, as
  mutable std::unordered_map<Oid, std::string> reasons_;  // this is. By erased name.
};

}  // namespace spoor::store
