// Any bytes: the events are the same however the bytes are cut. The first byte says how.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuts.h"
#include "llm/wire/sse.h"

namespace {

using spoor::llm::wire::SseDecoder;
using spoor::llm::wire::SseEvent;

struct Events {
  std::vector<std::string> all;

  void operator()(const SseEvent& event) {
    if (event.data.find('\r') != std::string_view::npos) std::abort();  // A line holds no line end.
    all.push_back(std::string(event.event) + '\0' + std::string(event.data) +
                  (event.is_cut ? "!" : "."));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  Events whole, pieces;
  SseDecoder one, other;
  one.feed(bytes, std::ref(whole));
  one.finish(std::ref(whole));
  fuzz::cut(bytes, data[0], [&](std::string_view piece) { other.feed(piece, std::ref(pieces)); });
  other.finish(std::ref(pieces));
  if (whole.all != pieces.all) std::abort();
  return 0;
}
