// Any bytes as a kept reply: an error, or a reply that is written back as the same bytes.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "llm/reply_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto kept = spoor::llm::decode_reply(bytes);
  if (kept && spoor::llm::encode_reply(kept.value()) != bytes) std::abort();
  return 0;
}
