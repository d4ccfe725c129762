#include "base/json/scan.h"

#include <bit>
#include <cstdint>
#include <cstring>

// Eight bytes are tested as one integer. `x - 0x01…` borrows into a byte's top bit if that byte is
// zero. The borrow may also set bits of the bytes above a hit, so only the lowest hit is valid. On
// a big-endian machine the lowest hit is not the first, so the plain loop handles all bytes.

namespace spoor::json {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kTops = 0x8080808080808080ULL;

constexpr std::uint64_t equals(std::uint64_t word, unsigned char byte) {
  const std::uint64_t difference = word ^ (kOnes * byte);
  return (difference - kOnes) & ~difference;
}

std::uint64_t hits(std::uint64_t word) { return equals(word, '"') | equals(word, '\\'); }
bool is_hit(char c) { return c == '"' || c == '\\'; }

std::uint64_t load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

std::size_t find_quote_or_escape(std::string_view text, std::size_t at) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::size_t kStep = 2 * sizeof(std::uint64_t);
    for (; text.size() - at >= kStep; at += kStep) {
      const std::uint64_t low = hits(load(text.data() + at)) & kTops;
      const std::uint64_t high = hits(load(text.data() + at + 8)) & kTops;
      if ((low | high) == 0) continue;
      const int bit = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high);
      return at + static_cast<std::size_t>(bit) / 8;
    }
  }
  while (at < text.size() && !is_hit(text[at])) ++at;
  return at;
}

}  // namespace spoor::json
