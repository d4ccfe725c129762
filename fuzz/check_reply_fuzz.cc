// Whatever a judge prints: read or refused; what is read is kept and read back as it was.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "guard/check/reply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spoor;
  using namespace spoor::guard::check;  // NOLINT: a fuzz target is one file.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& read : {read_reply(text), read_reply_in(text)}) {
    if (!read) continue;
    const std::string kept = write_result(read.value());
    const auto back = read_result(kept);
    if (!back || write_result(back.value()) != kept) std::abort();
  }
  return 0;
}
