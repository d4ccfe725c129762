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

/// Makes commitments with a store's own key, which is requested at the first one.
///
/// Safe to call from any thread.
class Hasher {
 public:
  /// Returns the key, 32 bytes. Every write that needs the key returns its error.
  using FindKey = std::function<Result<std::string>()>;

  explicit Hasher(FindKey find_key) : find_key_(std::move(find_key)) {}

  Result<compile::Commitment> commitment(std::string_view text) const;

  /// Returns the commitment that is stored in place of `text`. An empty text stays empty, and a
  /// commitment stays unchanged, so hashing again changes nothing.
  Result<std::string> hashed(std::string_view text) const;

  /// Turns on or off that original texts are kept in memory. On by default. Texts kept before stay.
  void keep_originals(bool keep) { keeps_originals_ = keep; }

  /// Returns the text of a commitment that was made here; null if it was not, or was not kept.
  std::shared_ptr<const std::string> original_of(std::string_view stored) const;

 private:
  const FindKey find_key_;
  mutable std::mutex mutex_;
  mutable std::optional<std::string> key_;  // Guarded by mutex_, like originals_.
  mutable std::unordered_map<store::Oid, std::shared_ptr<const std::string>> originals_;  // By MAC.
  std::atomic<bool> keeps_originals_ = true;
};

}  // namespace spoor::guard
