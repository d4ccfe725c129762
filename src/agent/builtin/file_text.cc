#include "agent/builtin/file_text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/json/writer.h"

namespace spoor::agent::builtin {
namespace {

constexpr std::size_t kBlock = 1U << 18U;
constexpr std::size_t kLongestPathFact = 512;

}  // namespace

std::optional<std::size_t> find_binary(std::string_view bytes) {
  const std::size_t found = bytes.substr(0, kLookedAt).find('\0');
  if (found == std::string_view::npos) return std::nullopt;
  return found;
}

Result<std::string> read_bytes(const Descriptor& file, std::size_t most, const Deadline& deadline) {
  std::string bytes;
  while (bytes.size() < most) {
    TRY(deadline.check());
    const std::size_t had = bytes.size();
    bytes.resize(had + std::min(kBlock, most - had));
    const ssize_t count = ::read(file.number(), bytes.data() + had, bytes.size() - had);
    const int problem = errno;
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (count < 0 && problem != EINTR) {
      return io_error(fmt::format("cannot read: {}", std::strerror(problem)));
    }
  }
  return bytes;
}

void note_path(compile::Facts& facts, std::string_view path) {
  if (json::write_string(path).size() <= kLongestPathFact) facts.set(fact::path, path);
}

}  // namespace spoor::agent::builtin
