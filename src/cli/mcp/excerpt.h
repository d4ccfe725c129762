#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spoor::cli::mcp {

/// The part of an answer that a caller asks for.
struct Range {
  std::uint64_t max_tokens = 4000;
  std::uint64_t offset = 0;  ///< in bytes
};

constexpr std::uint64_t kLeastTokens = 100;
constexpr std::uint64_t kMostTokens = 200'000;

/// Returns the part of `text` from the offset that has at most `max_tokens` tokens: whole lines, or
/// part of a line that is longer. If something is left out, the last line says how much, and how to
/// get it.
///
/// Tokens are estimated for the tokenizers in use, and rather too high than too low: about 1.4
/// times those of English, and no fewer than those of hashes, encoded data and other scripts.
/// compile::ByteCounter estimates totals; as a limit it is too low for a text with many hashes.
std::string excerpt(std::string_view text, const Range& range);

}  // namespace spoor::cli::mcp
