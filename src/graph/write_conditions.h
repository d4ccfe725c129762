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

/// The keys of the properties that ask a writer to redact or hash texts: how, and the rules of
/// single fields.
inline constexpr std::string_view kCapture = "config.capture";
inline constexpr std::string_view kCaptureFields = "config.capture.fields";

/// The properties of a store that every write depends on.
struct WriteConditions {
  std::uint64_t epoch = 0;  ///< in which they were read; a write passes it to the store
  std::optional<std::uint64_t> token_limit;
  bool has_tombstones = false;
  std::string capture;                ///< the value of kCapture; empty: none
  std::string capture_fields;         ///< the value of kCaptureFields; empty: none
  std::optional<Error> refusal = {};  ///< the reason if nothing may be written

  /// Whether a draft that was made under `other` is as it would be under these.
  bool asks_the_same(const WriteConditions& other) const {
    return token_limit == other.token_limit && capture == other.capture &&
           capture_fields == other.capture_fields;
  }
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
