#include "proof/tiles.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/big_endian.h"

namespace spoor::proof {
namespace {

constexpr std::uint64_t kWidth = 256;
constexpr unsigned kLevels = 8;  // In one tile.

// 1234067 is `x001/x234/067`.
std::string path_of(std::string_view folder, std::uint64_t number, std::uint64_t width) {
  std::string path = fmt::format("{:03}", number % 1'000);
  for (number /= 1'000; number > 0; number /= 1'000) {
    path = fmt::format("x{:03}/{}", number % 1'000, path);
  }
  path = fmt::format("tile/{}/{}", folder, path);
  return width == kWidth ? path : fmt::format("{}.p/{}", path, width);
}

}  // namespace

Result<void> write_tiles(
    const LogTree& log, std::uint64_t size, const std::function<bool(const std::string&)>& is_there,
    const std::function<Result<void>(const std::string& path, std::string_view bytes)>& write) {
  const auto write_all = [&](std::string_view folder, std::uint64_t count,
                             const auto& append) -> Result<void> {
    for (std::uint64_t begin = 0; begin < count; begin += kWidth) {
      const std::uint64_t width = std::min(kWidth, count - begin);
      const std::string path = path_of(folder, begin / kWidth, width);
      if (width == kWidth && is_there(path)) continue;
      std::string bytes;
      for (std::uint64_t i = begin; i < begin + width; ++i) append(bytes, i);
      TRY(write(path, bytes));
    }
    return {};
  };
  TRY(write_all("entries", size, [&](std::string& bytes, std::uint64_t i) {
    const std::string_view entry = log.names[i].view();
    append_big_endian(bytes, entry.size(), 2);
    bytes += entry;
  }));
  unsigned level = 0;
  for (std::uint64_t count = size; count > 0; count /= kWidth, level += kLevels) {
    TRY(write_all(std::to_string(level / kLevels), count, [&](std::string& bytes, std::uint64_t i) {
      bytes += log.tree.node(level, i).view();
    }));
  }
  return {};
}

}  // namespace spoor::proof
