#include "store/own_tombstones.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "store/blob.h"
#include "store/erased.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/tombstone.h"

namespace spoor::store {

std::vector<Oid> parse_tombstone_list(std::string_view list) {
  std::vector<Oid> names;
  while (!list.empty()) {
    const std::size_t end = list.find('\n');
    if (const auto oid = Oid::from_hex(list.substr(0, end))) names.push_back(*oid);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return names;
}

Result<void> add_to_tombstone_lists(const Store& store, std::span<const std::string_view> lists,
                                    std::span<const Oid> tombstones, Transaction& change) {
  const Properties found = TRY(store.properties(lists));
  change.epoch = found.epoch;
  std::erase_if(change.properties, [&](const PropertyChange& each) {
    return std::ranges::find(lists, each.first) != lists.end();
  });
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string before = found.values[i].value_or("");
    std::string list = before;
    const auto listed = parse_tombstone_list(before);
    std::unordered_set<Oid> known(listed.begin(), listed.end());
    for (const Oid& oid : tombstones) {
      if (known.insert(oid).second) list += oid.hex() + '\n';
    }
    if (list != before) change.properties.emplace_back(lists[i], std::move(list));
  }
  return {};
}

Result<void> list_own_tombstones(const Store& store, std::span<const Oid> tombstones,
                                 Transaction& change) {
  return add_to_tombstone_lists(store, std::array{kOwnTombstones, kTombstones}, tombstones, change);
}

Result<std::vector<Oid>> own_tombstones(const Store& store) {
  return parse_tombstone_list(TRY(store.property(kOwnTombstones)).value_or(""));
}

// A reason is short, so it is one blob.
Result<std::string> reason_in(const Store& store, const std::optional<Oid>& reason) {
  if (!reason) return std::string();
  const auto found = TRY(store.get(std::array{*reason}))[0];
  if (!found || found->kind != Kind::blob) return std::string();
  TRY(verify(*reason, *found));
  return std::string(TRY(blob_content(found->body)));
}

Result<std::optional<std::string>> own_erasure_of(const Store& store, const Oid& oid) {
  for (const Oid& name : TRY(own_tombstones(store))) {
    const auto found = TRY(store.get(std::array{name}))[0];
    if (!found) continue;
    TRY(verify(name, *found));
    const Tombstone stone = TRY(parse_tombstone(found->body));
    if (!std::binary_search(stone.erased.begin(), stone.erased.end(), oid)) continue;
    return std::optional(TRY(reason_in(store, stone.reason)));
  }
  return std::optional<std::string>();
}

}  // namespace spoor::store
