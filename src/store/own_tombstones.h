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
struct Transaction;

/// The key of the property (Store::properties) that lists the tombstones made in this store, in the
/// format of kTombstones (erased.h), which lists all. Only these block storing a text again: a
/// tombstone from an archive explains an absence and blocks nothing.
inline constexpr std::string_view kOwnTombstones = "tombstones.own";

/// Adds tombstones that this store applies with `change` to both lists, as list_tombstones().
Result<void> list_own_tombstones(const Store& store, std::span<const Oid> tombstones,
                                 Transaction& change);

/// Returns the tombstones made in this store, in the order made.
Result<std::vector<Oid>> own_tombstones(const Store& store);

/// Returns the reason (may be empty) for which this store itself erased this name's bytes; nullopt
/// if it did not. Reads the store's own tombstones: ask only if some tombstone names `oid`.
Result<std::optional<std::string>> own_erasure_of(const Store& store, const Oid& oid);

/// Parses a stored list of tombstones, one hex name a line; skips other lines.
std::vector<Oid> parse_tombstone_list(std::string_view list);

/// Adds missing names to the lists with these keys, with `change`, and sets its epoch.
Result<void> add_to_tombstone_lists(const Store& store, std::span<const std::string_view> lists,
                                    std::span<const Oid> tombstones, Transaction& change);

/// Returns the text of a tombstone's reason; empty if it has none or the reason was erased.
Result<std::string> reason_in(const Store& store, const std::optional<Oid>& reason);

}  // namespace spoor::store
