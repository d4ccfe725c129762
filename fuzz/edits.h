#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input.h"

namespace fuzz {

/// Damages `file` as `input` says, to its end: each edit is a byte that says which, three for
/// where, and the bytes that are written there, as many as the first one's lower half says and one
/// more.
///
///   below 0x80   counted in bytes that are not zero: free room is most of a page
///   below 0xc0   counted in bytes
///   below 0xe0   a block of as many hundreds of bytes is filled with the byte behind
///   else         the file ends there
inline void damage(std::string& file, Input& input) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (file[i] != '\0') written.push_back(i);
  }
  while (!input.is_done() && !file.empty()) {
    const unsigned kind = input.byte();
    const std::size_t place = input.number(3);
    const std::size_t count = (kind & 0x0fU) + 1;
    if (kind >= 0xe0) {
      file.resize(place % file.size());
      written.erase(std::lower_bound(written.begin(), written.end(), file.size()), written.end());
      continue;
    }
    if (kind >= 0xc0) {
      const std::size_t at = place % file.size();
      const std::size_t length = std::min(count * 100, file.size() - at);
      file.replace(at, length, length, static_cast<char>(input.byte()));
      continue;
    }
    const std::string_view bytes = input.bytes(count);
    const bool is_counted = kind < 0x80 && !written.empty();
    const std::size_t at = is_counted ? written[place % written.size()] : place % file.size();
    const std::size_t length = std::min(bytes.size(), file.size() - at);
    file.replace(at, length, bytes.substr(0, length));
  }
}

}  // namespace fuzz
