#include "store/kept_cache.h"

#include "store/sha256.h"

namespace spoor::store {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMacBytes = 32;

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMostTime{500};

// The name ends at the zero byte, which no name contains.
Oid mac_of(const std::string& key, std::string_view name, std::string_view value) {
  std::string message(name);
  message += '\0';
  message += value;
  return hmac_sha256(key, message);
}

}  // namespace

const std::string& KeptCache::key() const {
  std::call_once(once_, [this] {
    if (find_key_) key_ = find_key_();
    if (key_.size() != kKeyBytes) key_.clear();
  });
  return key_;
}

bool KeptCache::is_usable() const { return !key().empty(); }

std::optional<std::string> KeptCache::find(std::string_view name) const {
  if (!is_usable()) return std::nullopt;
  const auto kept = store_.cached(name);
  if (!kept || !*kept || (*kept)->size() < kMacBytes) return std::nullopt;
  const std::string_view value = std::string_view(**kept).substr(kMacBytes);
  if (std::string_view(**kept).substr(0, kMacBytes) != mac_of(key(), name, value).view()) {
    return std::nullopt;
  }
  return std::string(value);
}

void KeptCache::put(std::string_view name, std::string_view value) const {
  if (has_failed_ || !is_usable()) return;
  std::string kept(mac_of(key(), name, value).view());
  kept += value;
  const auto begun = Clock::now();
  const bool is_kept = store_.put_cached(name, kept).has_value();
  spent_ += (Clock::now() - begun).count();
  if (!is_kept || Clock::duration(spent_) > kMostTime) has_failed_ = true;
}

}  // namespace spoor::store
