#include "store/erased.h"

#include <array>
#include <vector>

#include "store/own_tombstones.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

constexpr std::string_view kBegin = "[erased";

}  // namespace

Result<void> list_tombstones(const Store& store, std::span<const Oid> tombstones,
                             Transaction& change) {
  return add_to_tombstone_lists(store, std::array{kTombstones}, tombstones, change);
}

std::string erasure_text(std::string_view reason) {
  if (reason.empty()) return "[erased]";
  return std::string(kBegin) + ": " + std::string(reason) + "]";
}

bool is_erasure_text(std::string_view text) {
  return text == "[erased]" || (text.starts_with("[erased: ") && text.ends_with("]"));
}

Result<void> ErasedNames::catch_up() const {
  // The store's own tombstones first: if two name the same object, the reason of the first is used.
  const Properties read = TRY(store_.properties(std::array{kOwnTombstones, kTombstones}));
  std::string lists = read.values[0].value_or("") + read.values[1].value_or("");
  if (lists == known_) return {};
  std::unordered_map<Oid, std::string> reasons;
  bool is_whole = true;  // False if a listed tombstone is not stored yet: then read the list again.
  const auto names = parse_tombstone_list(lists);
  const auto found = TRY(store_.get(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    is_whole = is_whole && found[i];
    if (!found[i]) continue;
    TRY(verify(names[i], *found[i]));
    const Tombstone stone = TRY(parse_tombstone(found[i]->body));
    const std::string reason = TRY(reason_in(store_, stone.reason));
    for (const Oid& erased : stone.erased) reasons.emplace(erased, reason);
  }
  reasons_ = std::move(reasons);
  known_ = is_whole ? std::move(lists) : std::string();
  return {};
}

Result<std::optional<std::string>> ErasedNames::reason_of(const Oid& oid) const {
  const std::lock_guard lock(mutex_);
  TRY(catch_up());
  const auto found = reasons_.find(oid);
  if (found == reasons_.end()) return std::optional<std::string>();
  return std::optional(found->second);
}

Result<bool> ErasedNames::has_any() const {
  const std::lock_guard lock(mutex_);
  TRY(catch_up());
  return !reasons_.empty();
}

}  // namespace spoor::store
