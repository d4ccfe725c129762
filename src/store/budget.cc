#include "store/budget.h"

#include <fmt/format.h>

namespace spoor::store {

Error over_budget(const std::string& what, std::uint64_t size, const Budget& budget) {
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  const std::uint64_t needed = size / kMebibyte + 1;
  return denied(
      fmt::format("{} is {} bytes, over the limit of {} MiB", what, size, budget.text / kMebibyte),
      fmt::format("raise it, if there is memory for it: SPOOR_MAX_TEXT={}", needed));
}

}  // namespace spoor::store
