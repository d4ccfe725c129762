#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::store {
class Store;
}

namespace spoor::graph {

/// The key of the property with the largest prompt that a write may make, in tokens.
inline constexpr std::string_view kTokenLimit = "token_limit";

/// The key of the property that a private store has.
inline constexpr std::string_view kPrivate = "private";

/// The properties of a store that every write depends on.
struct WriteConditions {
  std::uint64_t epoch = 0;  ///< in which they were read; a write passes it to the store
  std::optional<std::uint64_t> token_limit;
  bool has_tombstones = false;
  std::optional<Error> refusal = {};  ///< the reason if nothing may be written
};

/// Reads the conditions once. They need not be read again before the store says that their epoch is
/// over, so that most writes make one call.
///
/// Safe to call from any thread.
class KnownConditions {
 public:
  /// `blob_key`: that of a private store, or empty. Both must outlive it.
  KnownConditions(const store::Store& store, std::string_view blob_key)
      : store_(store), blob_key_(blob_key) {}

  /// Returns them as last read. Code::corrupt if the token limit is not a number.
  Result<WriteConditions> get() const;

  /// Reads them again.
  Result<WriteConditions> refresh() const;

 private:
  const store::Store& store_;
  const std::string_view blob_key_;
  mutable std::mutex mutex_;
  mutable std::optional<WriteConditions> known_;  // Guarded by mutex_.
};

}  // namespace spoor::graph
