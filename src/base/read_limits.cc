#include "base/read_limits.h"

#include <fmt/format.h>

namespace spoor {

Error over_limit(const std::string& what, std::uint64_t size, const ReadLimits& limits) {
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  const std::uint64_t needed = size / kMebibyte + 1;
  return denied(
      fmt::format("{} is {} bytes, over the limit of {} MiB", what, size, limits.text / kMebibyte),
      fmt::format("raise it, if there is memory for it: SPOOR_MAX_TEXT={}", needed));
}

}  // namespace spoor
