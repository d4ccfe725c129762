#pragma once

#include <string>
#include <string_view>

namespace spoor::store {

/// Two lower-case digits for each byte.
inline std::string hex_of(std::string_view bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex.append(1, "0123456789abcdef"[byte >> 4U]).append(1, "0123456789abcdef"[byte & 15U]);
  }
  return hex;
}

}  // namespace spoor::store
