#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace fuzz {

/// Hands `bytes` over in pieces, whose sizes follow from `seed`.
template <typename Take>
void cut(std::string_view bytes, unsigned char seed, Take take) {
  unsigned state = seed;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + state % 13);
    take(bytes.substr(0, size));
    bytes.remove_prefix(size);
    state = state * 29 + 7;
  }
}

}  // namespace fuzz
