#include "cli/transfer/watched_link.h"

#include "base/byte_size.h"

namespace spoor::cli {

void WatchedLink::count(std::uint64_t bytes) {
  bytes_ += bytes;
  progress_.update(0, 0, byte_size(bytes_));
}

Result<sync::ByteSource> WatchedLink::ask(
    const std::function<Result<void>(const sync::ByteSink&)>& write) {
  const sync::ByteSource answer = TRY(link_.ask([&](const sync::ByteSink& sink) {
    return write([&](std::string_view bytes) -> Result<void> {
      TRY(sink(bytes));
      count(bytes.size());
      return {};
    });
  }));
  return sync::ByteSource([this, answer](std::span<char> to) -> Result<std::size_t> {
    const std::size_t bytes = TRY(answer(to));
    count(bytes);
    return bytes;
  });
}

}  // namespace spoor::cli
