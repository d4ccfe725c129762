// Any bytes as an archive: it is refused with a reason, or the store is sound afterwards and gives
// an archive of its own.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/archive_reader.h"
#include "store/fsck.h"
#include "store/memory_store.h"

using namespace spoor;
using namespace spoor::store;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MemoryStore store;
  const auto received = receive_archive(store, {}, [&](std::span<char> to) -> Result<std::size_t> {
    const std::size_t count = std::min(bytes.size(), to.size());
    bytes.copy(to.data(), count);
    bytes.remove_prefix(count);
    return count;
  });
  if (!received) {
    if (received.error().message.empty()) std::abort();
    return 0;
  }
  const auto report = fsck(store);
  if (!report || !report->is_sound()) std::abort();
  std::string again;
  const auto written =
      write_archive(store, received->head, [&](std::string_view part) -> Result<void> {
        again += part;
        return {};
      });
  if (!written || again.empty()) std::abort();
  return 0;
}
