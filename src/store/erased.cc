#include "store/erased.h"

#include <array>
#include <vector>

#include "store/blob.h"
#include "store/reader.h"
#include "store/store.h"
#include "store/tombstone.h"

namespace spoor::store {
namespace {

constexpr std::string_view kBegin = "[erased";

std::vector<Oid> listed(std::string_view list) {
  std::vector<Oid> names;
  while (!list.empty()) {
    const std::size_t end = list.find('\n');
    if (const auto oid = Oid::from_hex(list.substr(0, end))) names.push_back(*oid);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return names;
}

// A reason is short, and so one blob; it may have been erased itself.
Result<std::string> reason_in(const Store& store, const std::optional<Oid>& reason) {
  if (!reason) return std::string();
  const auto found = TRY(store.get(std::array{*reason}))[0];
  if (!found || found->kind != Kind::blob) return std::string();
  TRY(verify(*reason, *found));
  return std::string(TRY(blob_content(found->body)));
}

}  // namespace

Result<void> note_tombstones(Store& store, std::span<const Oid> tombstones) {
  return store.exclusive([&]() -> Result<void> {
    std::string list = TRY(store.local(kTombstones)).value_or("");
    const std::size_t before = list.size();
    for (const Oid& oid : tombstones) {
      if (list.find(oid.hex()) == std::string::npos) list += oid.hex() + '\n';
    }
    return list.size() == before ? Result<void>() : store.set_local(kTombstones, list);
  });
}

std::string erasure_text(std::string_view reason) {
  if (reason.empty()) return "[erased]";
  return std::string(kBegin) + ": " + std::string(reason) + "]";
}

bool is_erasure_text(std::string_view text) {
  return text == "[erased]" || (text.starts_with("[erased: ") && text.ends_with("]"));
}

Result<void> ErasedNames::catch_up() const {
  std::string list = TRY(store_.local(kTombstones)).value_or("");
  if (list == known_) return {};
  std::unordered_map<Oid, std::string> reasons;
  for (const Oid& oid : listed(list)) {
    const auto found = TRY(store_.get(std::array{oid}))[0];
    if (!found) continue;
    TRY(verify(oid, *found));
    const Tombstone stone = TRY(parse_tombstone(found->body));
    const std::string reason = TRY(reason_in(store_, stone.reason));
    for (const Oid& erased : stone.erased) reasons.emplace(erased, reason);
  }
  reasons_ = std::move(reasons);
  known_ = std::move(list);
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
