#include "store/oid.h"

#include <bit>

namespace spoor::store {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// The two digits of each byte value.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 256> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i >> 4U], kDigits[i & 15U]};
  return pairs;
}();

// Returns a word with every byte set to the same value.
constexpr std::uint64_t each(std::uint8_t byte) { return 0x0101010101010101ULL * byte; }

// Decodes eight digits at once, one per byte of a word. Every step of every walk decodes a name, so
// this optimization is worth it.
struct EightDigits {
  std::uint64_t values;
  bool are_digits;
};

EightDigits read_eight(const char* text) {
  std::uint64_t digits = 0;
  std::memcpy(&digits, text, sizeof digits);
  if constexpr (std::endian::native == std::endian::big) digits = __builtin_bswap64(digits);
  const std::uint64_t is_letter = (digits >> 6U) & each(1);  // 'a'–'f' have this bit, '0'–'9' not.
  const std::uint64_t values = ((digits & each(0x0f)) + is_letter * 9) & each(0x0f);
  // A byte is a digit only if encoding its value gives it back.
  const std::uint64_t above_nine = ((values + each(6)) >> 4U) & each(1);
  return {values, values + each('0') + above_nine * ('a' - '0' - 10) == digits};
}

}  // namespace

void append_hex(std::string& out, const Oid& oid) {
  const std::size_t at = out.size();
  out.resize(at + 64);
  char* to = out.data() + at;
  for (const std::uint8_t byte : oid.bytes) {
    std::memcpy(to, kPairs[byte].data(), 2);
    to += 2;
  }
}

std::string Oid::hex() const {
  std::string text;
  append_hex(text, *this);
  return text;
}

std::optional<Oid> Oid::from_hex(std::string_view text) {
  if (text.size() != 64) return std::nullopt;
  Oid oid;
  bool are_digits = true;
  for (std::size_t i = 0; i < 8; ++i) {
    const EightDigits eight = read_eight(text.data() + 8 * i);
    are_digits &= eight.are_digits;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint64_t high = eight.values >> 16 * j;  // The first digit is the lowest byte.
      oid.bytes[4 * i + j] = static_cast<std::uint8_t>((high << 4U) | ((high >> 8U) & 0x0fU));
    }
  }
  if (!are_digits) return std::nullopt;
  return oid;
}

std::optional<Oid> Oid::from_bytes(std::string_view bytes) {
  Oid oid;
  if (bytes.size() != oid.bytes.size()) return std::nullopt;
  std::memcpy(oid.bytes.data(), bytes.data(), bytes.size());
  return oid;
}

}  // namespace spoor::store
