#include "graph/write_conditions.h"

#include <array>

#include "store/erased.h"
#include "store/lines.h"
#include "store/own_tombstones.h"
#include "store/store.h"

namespace spoor::graph {
namespace {

// A private store salts all its blobs; other stores salt none.
std::optional<Error> why_not_to_write(bool wants_key, std::string_view key) {
  constexpr std::size_t kKeyBytes = 32;
  if (!key.empty() && key.size() != kKeyBytes) {
    return denied("the key of a private store must have 32 bytes", "see 'spoor help init'");
  }
  if (wants_key && key.empty()) {
    return denied("this store is private, and its key is missing: it can be read, not written",
                  "see 'spoor help init' for the place of the key");
  }
  if (!wants_key && !key.empty()) {
    return denied("this store is not private: it takes no key",
                  "open it without a key; 'spoor init --private' makes a store that takes one");
  }
  return std::nullopt;
}

}  // namespace

Result<WriteConditions> KnownConditions::get() const {
  {
    const std::lock_guard hold(mutex_);
    if (known_) return *known_;
  }
  return refresh();
}

Result<WriteConditions> KnownConditions::refresh() const {
  const store::Properties found = TRY(store_.properties(std::array{
      kTokenLimit, store::kOwnTombstones, store::kTombstones, kPrivate, kCapture, kCaptureFields}));
  WriteConditions now;
  now.epoch = found.epoch;
  if (found.values[0]) {
    now.token_limit = store::parse_integer(*found.values[0]);
    if (!now.token_limit) {
      return corrupt("the store's token limit is not a number", "set it again with 'spoor config'");
    }
  }
  now.has_tombstones = found.values[1] || found.values[2];
  now.capture = found.values[4].value_or("");
  now.capture_fields = found.values[5].value_or("");
  now.refusal = why_not_to_write(found.values[3].has_value(), blob_key_);
  const std::lock_guard hold(mutex_);
  known_ = now;
  return now;
}

}  // namespace spoor::graph
