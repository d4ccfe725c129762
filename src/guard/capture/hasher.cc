#include "guard/capture/hasher.h"

#include "store/sha256.h"

namespace spoor::guard {

Result<compile::Commitment> Hasher::commitment(std::string_view text) const {
  std::string key;
  {
    const std::lock_guard lock(mutex_);
    if (!key_) key_ = TRY(find_key_());
    key = *key_;
  }
  return compile::Commitment{text.size(), store::hmac_sha256(key, text)};
}

Result<std::string> Hasher::hashed(std::string_view text) const {
  if (text.empty() || compile::is_commitment(text)) return std::string(text);
  const compile::Commitment made = TRY(commitment(text));
  if (keeps_originals_) {
    const std::lock_guard lock(mutex_);
    auto& original = originals_[made.mac];
    if (!original) original = std::make_shared<const std::string>(text);
  }
  return compile::write_commitment(made);
}

std::shared_ptr<const std::string> Hasher::original_of(std::string_view stored) const {
  const auto commitment = compile::read_commitment(stored);
  if (!commitment) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = originals_.find(commitment->mac);
  return found == originals_.end() ? nullptr : found->second;
}

}  // namespace spoor::guard
