#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace spoor {

/// Formats a size for people: `50 B`, `1.2 KiB`.
inline std::string byte_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  std::size_t name = 0;
  for (; size >= 1024 && name + 1 < kNames.size(); ++name) size /= 1024;
  return fmt::format("{:.1f} {}", size, kNames.at(name));
}

}  // namespace spoor
