#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace spoor::llm {

/// The billed tokens of one call, with one meaning for all providers. Nullopt means unknown, not
/// zero. `input`, `cached` and `cache_written` do not overlap: their sum is the whole request;
/// `output` is the whole reply.
struct Usage {
  std::optional<std::uint64_t> input;  ///< of the request, neither read from nor written to a cache
  std::optional<std::uint64_t> cached;         ///< of the request, read from a cache
  std::optional<std::uint64_t> cache_written;  ///< of the request, written to a cache
  std::optional<std::uint64_t> output;         ///< all generated tokens, including reasoning
  std::optional<std::uint64_t> reasoning;      ///< the part of `output` that was reasoning
  std::string raw;  ///< the provider's own object, byte for byte; empty: none was received

  bool operator==(const Usage&) const = default;
};

}  // namespace spoor::llm
