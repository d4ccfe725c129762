// Any bytes as a request to a store: it is answered, with an error or so that the store is sound.
//
// The first byte is not part of it. An odd one makes the rest a push: lines of a request, a zero
// byte, and the text of the archive's part, with hashes that are right, so that what is inside is
// reached.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "folder.h"
#include "store/archive.h"
#include "store/fsck.h"
#include "store/memory_store.h"
#include "sync/requests.h"
#include "sync/server.h"

using namespace spoor;

namespace {

class StillClock final : public Clock {
 public:
  Timestamp now() const override { return {1'893'456'000'000'000}; }
};

std::string sealed(std::string_view bytes) {
  std::string out;
  const store::ByteSink sink = [&](std::string_view part) -> Result<void> {
    out += part;
    return {};
  };
  const std::string lines(bytes.substr(0, bytes.find('\0')));
  const std::string_view text = bytes.substr(std::min(lines.size() + 1, bytes.size()));
  store::ArchiveHead head;
  if (const auto request = sync::parse_push(lines)) {
    head.haves = request->haves;
    head.refs = request->refs();
  }
  store::PartWriter parts(sink);
  const bool is_written = sync::write_message(sink, {"push", lines}) &&
                          parts.begin(archive_head_text(head)) &&
                          (text.empty() || parts.add(text, "")) && parts.finish();
  if (!is_written) std::abort();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_push = !bytes.empty() && (bytes[0] & 1) != 0;
  const std::string request =
      is_push ? sealed(bytes.substr(1))
              : std::string(bytes.substr(std::min<std::size_t>(bytes.size(), 1)));
  store::MemoryStore store;
  const StillClock clock;
  sync::Server server(store, clock, {.intake = {.file = folder.path() + "/s", .actor = "fuzz"}});
  std::string answer;
  std::size_t done = 0;
  const auto answered = server.answer(
      [&](std::span<char> to) -> Result<std::size_t> {
        const std::size_t count = std::min(to.size(), request.size() - done);
        request.copy(to.data(), count, done);
        done += count;
        return count;
      },
      [&](std::string_view part) -> Result<void> {
        answer += part;
        return {};
      });
  if (!answered || !answer.starts_with("spoor sync 1 ")) std::abort();
  const bool is_refused = answer.starts_with("spoor sync 1 error ");
  if (is_refused && !store.refs("")->empty()) std::abort();
  const auto report = store::fsck(store);
  if (!report || !report->is_sound()) std::abort();
  sync::remove_spools(folder.path() + "/s");
  return 0;
}
