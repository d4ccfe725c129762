#include "store/postgres/seals.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "store/sha256.h"

namespace spoor::store::postgres {
namespace {

constexpr Edition kLastEdition = std::numeric_limits<Edition>::max();

std::string about_object(const Oid& oid, std::int64_t kind) {
  return std::string(oid.view()).append(1, static_cast<char>(kind));
}

Edition edition_of(std::string_view body) {
  return body.empty() ? Edition{0} : static_cast<Edition>(body[0]);
}

bool contains(std::span<const Oid> oids, const Oid& oid) {
  return std::ranges::find(oids, oid) != oids.end();
}

Error unreadable(const Oid& oid, std::string_view why) {
  return corrupt(fmt::format("object {} is sealed, and {}", oid.hex(12), why),
                 "run 'spoor store fsck'");
}

}  // namespace

std::vector<KeyName> parse_pending(std::string_view list) {
  constexpr std::size_t kHex = 2 * sizeof(Oid);
  std::vector<KeyName> names;
  while (!list.empty()) {
    const std::string_view line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(list.size(), line.size() + 1));
    const auto oid = Oid::from_hex(line.substr(0, kHex));
    if (!oid || line.size() <= kHex + 1 || line[kHex] != ' ') continue;
    const int edition = std::atoi(std::string(line.substr(kHex + 1)).c_str());
    names.push_back({*oid, static_cast<Edition>(edition)});
  }
  return names;
}

void Seals::renew(std::int64_t erasures, std::vector<KeyName> pending) {
  const std::scoped_lock hold(mutex_);
  tree_.clear();
  gone_.clear();
  cache_key_.reset();
  has_begun_ = false;
  pending_ = std::move(pending);
  erasures_ = erasures;
}

std::int64_t Seals::erasures() const {
  const std::scoped_lock hold(mutex_);
  return erasures_;
}

// Gets the nodes of addresses of which nothing is known, in one round trip; the first time also the
// largest nodes, which cover nearly all.
Result<void> Seals::learn_addresses(std::vector<std::uint64_t> addresses) {
  if (!has_begun_) {
    for (const KeyNode& each : TRY(keys_.find({}))) tree_.add(each);
    has_begun_ = true;
  }
  std::erase_if(addresses, [&](std::uint64_t each) {
    return tree_.covering(each) != nullptr || gone_.contains(each);
  });
  if (addresses.empty()) return {};
  for (const KeyNode& each : TRY(keys_.find(addresses))) tree_.add(each);
  for (const std::uint64_t each : addresses) {
    if (tree_.covering(each) == nullptr) gone_.insert(each);
  }
  return {};
}

// Takes the pending keys from the tree, after what is known of them was added: nothing that covers
// one of them is added later.
Result<void> Seals::learn_pending() {
  if (pending_.empty()) return {};
  std::vector<std::uint64_t> addresses;
  for (const auto& [oid, edition] : pending_) addresses.push_back(address_of(oid, edition));
  TRY(learn_addresses(addresses));
  for (const std::uint64_t each : addresses) {
    tree_.destroy(each);
    gone_.insert(each);
  }
  pending_.clear();
  return {};
}

Result<void> Seals::prepare(std::span<const NewObject> objects, std::span<const Oid> erased) {
  const std::scoped_lock hold(mutex_);
  TRY(learn_pending());
  struct Wanted {
    Oid oid;
    int keys = 1;
  };
  std::vector<Wanted> left;
  for (const NewObject& each : objects) {
    if (is_sealable(each.kind)) left.push_back({each.oid, contains(erased, each.oid) ? 2 : 1});
  }
  for (unsigned edition = 0; !left.empty(); ++edition) {
    if (edition > kLastEdition) {
      return denied(fmt::format("object {} was erased too often", left[0].oid.hex(12)));
    }
    const auto address = [&](const Wanted& each) {
      return address_of(each.oid, static_cast<Edition>(edition));
    };
    std::vector<std::uint64_t> addresses;
    addresses.reserve(left.size());
    for (const Wanted& each : left) addresses.push_back(address(each));
    TRY(learn_addresses(std::move(addresses)));
    for (Wanted& each : left) each.keys -= tree_.covering(address(each)) != nullptr ? 1 : 0;
    std::erase_if(left, [](const Wanted& each) { return each.keys == 0; });
  }
  return {};
}

std::string Seals::seal(const NewObject& object, bool is_erased) const {
  const std::scoped_lock hold(mutex_);
  for (unsigned edition = 0; edition <= kLastEdition; ++edition) {
    const auto key = tree_.key(address_of(object.oid, static_cast<Edition>(edition)));
    if (!key || std::exchange(is_erased, false)) continue;
    std::string body(1, static_cast<char>(edition));
    const auto kind = static_cast<std::int64_t>(object.kind);
    return body + encrypt(*key, random_nonce(), about_object(object.oid, kind), object.body);
  }
  throw std::logic_error("an object is sealed without its key");
}

Result<void> Seals::learn(std::span<const StoredRow> rows) {
  const std::scoped_lock hold(mutex_);
  return learn_rows(rows);
}

Result<void> Seals::learn_rows(std::span<const StoredRow> rows) {
  std::vector<std::uint64_t> addresses;
  for (const StoredRow& row : rows) {
    if (row.kind >= kSealedBit) addresses.push_back(address_of(row.oid, edition_of(row.body)));
  }
  if (addresses.empty()) return {};
  TRY(learn_pending());
  return learn_addresses(std::move(addresses));
}

bool Seals::has_key(const StoredRow& row) const {
  const std::scoped_lock hold(mutex_);
  if (row.kind < kSealedBit) return true;
  return tree_.covering(address_of(row.oid, edition_of(row.body))) != nullptr;
}

Result<Object> Seals::open(const StoredRow& row) {
  const std::scoped_lock hold(mutex_);
  TRY(learn_rows(std::span(&row, 1)));
  const auto key = tree_.key(address_of(row.oid, edition_of(row.body)));
  if (!key) {
    return not_found(fmt::format("object {} is sealed, and its key is gone", row.oid.hex(12)));
  }
  const std::int64_t kind = row.kind - kSealedBit;
  if (row.body.empty() || kind < 0 || kind >= static_cast<std::int64_t>(kKinds.size())) {
    return not_spoors("the kind of an object");
  }
  auto body = decrypt(*key, about_object(row.oid, kind), row.body.substr(1));
  if (!body) return unreadable(row.oid, "its bytes are not what was sealed");
  return Object{kKinds.at(static_cast<std::size_t>(kind)), std::move(*body)};
}

Result<std::string> Seals::seal_cached(std::string_view key, std::string_view value) {
  const std::scoped_lock hold(mutex_);
  if (!cache_key_) cache_key_ = TRY(keys_.find_cache_key());
  return encrypt(*cache_key_, random_nonce(), key, value);
}

Result<std::optional<std::string>> Seals::open_cached(std::string_view key,
                                                      std::string_view sealed) {
  const std::scoped_lock hold(mutex_);
  if (!cache_key_) cache_key_ = TRY(keys_.find_cache_key());
  return decrypt(*cache_key_, key, sealed);
}

Result<void> Seals::prepare_to_destroy() {
  const std::scoped_lock hold(mutex_);
  return keys_.prepare_to_destroy();
}

Result<void> Seals::destroy(std::span<const KeyName> names) {
  const std::scoped_lock hold(mutex_);
  std::vector<std::uint64_t> addresses;
  for (const auto& [oid, edition] : names) addresses.push_back(address_of(oid, edition));
  TRY(keys_.destroy(addresses));
  cache_key_.reset();
  return {};
}

Result<void> Seals::remove() {
  const std::scoped_lock hold(mutex_);
  return keys_.remove();
}

}  // namespace spoor::store::postgres
