#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::store {

class Store;

/// The local fact (Store::local) that lists those tombstones which were made here, as kTombstones
/// (erased.h) lists all. Only these keep a text from being stored again: one that an archive
/// brought explains what is absent, and forbids nothing.
inline constexpr std::string_view kOwnTombstones = "tombstones.own";

/// Notes in both lists what this store is about to erase.
Result<void> note_own_tombstones(Store& store, std::span<const Oid> tombstones);

/// The tombstones that were made here, in the order made.
Result<std::vector<Oid>> own_tombstones(const Store& store);

/// The reason (may be empty) for which this store itself erased the bytes of this name; nothing
/// when it did not. Reads its tombstones: to be asked when some tombstone names it.
Result<std::optional<std::string>> own_erasure_of(const Store& store, const Oid& oid);

/// A list of tombstones as it is kept, hex names one a line; other lines are passed over.
std::vector<Oid> parse_tombstone_list(std::string_view list);

/// Adds to the list that is kept under `fact` what is not in it.
Result<void> add_to_tombstone_list(Store& store, std::string_view fact,
                                   std::span<const Oid> tombstones);

/// The text of a tombstone's reason; empty where there is none, or it was erased itself.
Result<std::string> reason_in(const Store& store, const std::optional<Oid>& reason);

}  // namespace spoor::store
