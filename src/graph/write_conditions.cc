#include "graph/write_conditions.h"

#include <array>

#include "store/erased.h"
#include "store/lines.h"
#include "store/own_tombstones.h"
#include "store/store.h"

namespace spoor::graph {

Result<WriteConditions> KnownConditions::get() const {
  {
    const std::lock_guard hold(mutex_);
    if (known_) return *known_;
  }
  return refresh();
}

Result<WriteConditions> KnownConditions::refresh() const {
  const store::Properties found = TRY(store_.properties(
      std::array<std::string_view, 3>{kTokenLimit, store::kOwnTombstones, store::kTombstones}));
  WriteConditions now;
  now.epoch = found.epoch;
  if (found.values[0]) {
    now.token_limit = store::parse_integer(*found.values[0]);
    if (!now.token_limit) {
      return corrupt("the store's token limit is not a number", "set it again with 'spoor config'");
    }
  }
  now.has_tombstones = found.values[1] || found.values[2];
  const std::lock_guard hold(mutex_);
  known_ = now;
  return now;
}

}  // namespace spoor::graph
