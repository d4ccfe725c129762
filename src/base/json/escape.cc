#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/json/writer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace spoor::json {
namespace {

// Input is processed in blocks whose escaped form always fits on the stack: a byte becomes at most
// six, and a store may write kWidth bytes past the end.
constexpr std::size_t kBlock = 4096;
constexpr std::size_t kWidth = 32;

struct Escape {
  std::array<char, 7> text{};
  std::uint8_t length = 0;
};

constexpr std::array<Escape, 256> make_escapes() {
  constexpr char kHex[] = "0123456789abcdef";
  std::array<Escape, 256> escapes{};
  for (unsigned code = 0; code < 0x20; ++code) {
    escapes[code] = {{'\\', 'u', '0', '0', kHex[code >> 4], kHex[code & 15], 0}, 6};
  }
  constexpr std::string_view kShort = "\bb\tt\nn\ff\rr\"\"\\\\";
  for (std::size_t i = 0; i < kShort.size(); i += 2) {
    escapes[static_cast<unsigned char>(kShort[i])] = {{'\\', kShort[i + 1], 0, 0, 0, 0, 0}, 2};
  }
  return escapes;
}

constexpr auto kEscapes = make_escapes();

#ifdef __SSE2__
// Copies 16 bytes to `to`. Returns a mask with one bit per byte that needs an escape.
unsigned copy_and_mark(const char* from, char* to, unsigned& high_bits) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
  high_bits |= static_cast<unsigned>(_mm_movemask_epi8(bytes));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls)));
}
#endif

// Copies kWidth bytes to `to`. Returns the number of bytes before the first that needs an escape.
// Sets `ascii` to false if any of these is not ASCII.
std::size_t copy_clean(const char* from, char* to, bool& ascii) {
#ifdef __SSE2__
  unsigned high_bits = 0;
  const unsigned first = copy_and_mark(from, to, high_bits);
  const unsigned second = copy_and_mark(from + 16, to + 16, high_bits);
  if (high_bits != 0) ascii = false;
  return static_cast<std::size_t>(std::countr_zero(first | second << 16U));
#else
  std::memcpy(to, from, kWidth);
  std::size_t clean = 0;
  for (; clean < kWidth; ++clean) {
    const auto byte = static_cast<unsigned char>(from[clean]);
    if (kEscapes[byte].length != 0) break;
    if (byte >= 0x80) ascii = false;
  }
  return clean;
#endif
}

}  // namespace

bool append_escaped(std::string& out, std::string_view text) {
  std::array<char, 6 * kBlock + kWidth> block;
  bool ascii = true;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kBlock);
    text.remove_prefix(part.size());
    const char* from = part.data();
    const char* const end = from + part.size();
    char* to = block.data();
    while (from < end) {
      if (static_cast<std::size_t>(end - from) >= kWidth) {
        const std::size_t clean = copy_clean(from, to, ascii);
        from += clean;
        to += clean;
        if (clean == kWidth) continue;
      }
      const auto byte = static_cast<unsigned char>(*from++);
      const Escape& escape = kEscapes[byte];
      if (escape.length == 0) {  // Only in the last few bytes of a block.
        *to++ = static_cast<char>(byte);
        if (byte >= 0x80) ascii = false;
      } else {
        std::memcpy(to, escape.text.data(), escape.text.size());
        to += escape.length;
      }
    }
    out.append(block.data(), static_cast<std::size_t>(to - block.data()));
  }
  return ascii;
}

}  // namespace spoor::json
