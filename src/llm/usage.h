#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace spoor::llm {

/// Tokens of one call, as the provider billed them, in one meaning for all providers.
/// Absent is unknown, which is not zero. `input`, `cached` and `cache_written` share no token:
/// their sum is the whole request, `output` the whole reply.
struct Usage {
  std::optional<std::uint64_t> input;          ///< of the request, in no cache before or after
  std::optional<std::uint64_t> cached;         ///< of the request, read from a cache
  std::optional<std::uint64_t> cache_written;  ///< of the request, put into a cache for later
  std::optional<std::uint64_t> output;         ///< all that was generated, reasoning included
  std::optional<std::uint64_t> reasoning;      ///< the share of `output` that was reasoning
  std::string raw;  ///< the provider's own object, byte for byte; empty: none came

  bool operator==(const Usage&) const = default;
};

}  // namespace spoor::llm
