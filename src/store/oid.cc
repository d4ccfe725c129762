#include "store/oid.h"

namespace spoor::store {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

constexpr std::array<std::int8_t, 256> make_digit_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (int i = 0; i < 10; ++i)
    values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
  }
  return values;
}

constexpr auto kDigitValues = make_digit_values();

}  // namespace

void append_hex(std::string& out, const Oid& oid) {
  const std::size_t at = out.size();
  out.resize(at + 64);
  char* to = out.data() + at;
  for (const std::uint8_t byte : oid.bytes) {
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
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
  int seen = 0;  // Goes negative, and stays so, with the first digit that is none.
  for (std::size_t i = 0; i < oid.bytes.size(); ++i) {
    const int high = kDigitValues[static_cast<unsigned char>(text[2 * i])];
    const int low = kDigitValues[static_cast<unsigned char>(text[2 * i + 1])];
    seen |= high | low;
    oid.bytes[i] = static_cast<std::uint8_t>((high << 4) | low);
  }
  if (seen < 0) return std::nullopt;
  return oid;
}

std::optional<Oid> Oid::from_bytes(std::string_view bytes) {
  Oid oid;
  if (bytes.size() != oid.bytes.size()) return std::nullopt;
  std::memcpy(oid.bytes.data(), bytes.data(), bytes.size());
  return oid;
}

}  // namespace spoor::store
