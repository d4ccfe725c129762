#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spoor {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

constexpr std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t digits = text.size();
  while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') --digits;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int value = kValues[static_cast<unsigned char>(text[i])];
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xff));
    }
  }
  const std::uint32_t left_over = bits & ((1U << held) - 1U);
  if (left_over != 0) return std::nullopt;  // Another text would encode the same bytes.
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t bits =
        (byte_at(bytes, i) << 16) | (byte_at(bytes, i + 1) << 8) | byte_at(bytes, i + 2);
    out.push_back(kAlphabet[(bits >> 18) & 63]);
    out.push_back(kAlphabet[(bits >> 12) & 63]);
    out.push_back(i + 1 < bytes.size() ? kAlphabet[(bits >> 6) & 63] : '=');
    out.push_back(i + 2 < bytes.size() ? kAlphabet[bits & 63] : '=');
  }
  return out;
}

std::string inside_base64(std::string_view bytes, std::size_t before) {
  const std::string coded = encode_base64(std::string(before, '\0') + std::string(bytes));
  const std::size_t bits = 8 * (before + bytes.size());
  const std::size_t begin = (8 * before + 5) / 6;
  return coded.substr(begin, bits / 6 - begin);
}

std::string with_url_alphabet(std::string coded) {
  std::replace(coded.begin(), coded.end(), '+', '-');
  std::replace(coded.begin(), coded.end(), '/', '_');
  return coded;
}

}  // namespace spoor
