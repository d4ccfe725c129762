#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "compile/commitment.h"

namespace spoor::guard {

/// Makes commitments under a store's own key, which is asked for at the first one.
///
/// Safe to call from any thread.
class Hasher {
 public:
  /// 32 bytes. What it fails with, every write that needs it fails with.
  using FindKey = std::function<Result<std::string>()>;

  explicit Hasher(FindKey find_key) : find_key_(std::move(find_key)) {}

  Result<compile::Commitment> commitment(std::string_view text) const;

  /// What is stored in place of `text`: its commitment. Empty stays empty; and a commitment stays
  /// what it is, so that doing it again changes nothing.
  Result<std::string> hashed(std::string_view text) const;

  /// From now on the texts themselves are kept in memory, or no longer; those that are, stay. As at
  /// first, they are.
  void keep_originals(bool keep) { keeps_originals_ = keep; }

  /// The text of a commitment that was made here; null when it was not, or was not kept.
  std::shared_ptr<const std::string> original_of(std::string_view stored) const;

 private:
  const FindKey find_key_;
  mutable std::mutex mutex_;
  mutable std::optional<std::string> key_;  // Guarded by mutex_, as is the next.
  mutable std::unordered_map<store::Oid, std::shared_ptr<const std::string>> originals_;  // By MAC.
  std::atomic<bool> keeps_originals_ = true;
};

}  // namespace spoor::guard
