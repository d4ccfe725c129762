#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spoor {

/// Appends the lowest `size` bytes of a number, the highest first.
inline void append_big_endian(std::string& out, std::uint64_t number, std::size_t size) {
  for (std::size_t left = size; left > 0; --left) {
    out.push_back(static_cast<char>(number >> (8 * (left - 1))));
  }
}

/// Decodes at most eight bytes, the highest first.
inline std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace spoor
