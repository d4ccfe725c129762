#include "store/operation_walk.h"

#include <algorithm>

namespace spoor::store {

Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit) {
  constexpr std::uint64_t kAtOnce = 64;
  const auto newest = TRY(store.newest_operation());
  std::uint64_t end = newest ? newest->number : 0;  // The newest that was not visited yet.
  while (end > 0) {
    const std::uint64_t after = end - std::min(end, kAtOnce);
    const auto some = TRY(store.operations(after, static_cast<std::size_t>(end - after)));
    for (auto at = some.rbegin(); at != some.rend(); ++at) {
      if (at->number <= end && !TRY(visit(*at))) return {};
    }
    if (some.empty()) return {};  // The log was folded up to here.
    end = after;
  }
  return {};
}

}  // namespace spoor::store
