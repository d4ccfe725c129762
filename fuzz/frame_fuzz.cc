// Any bytes, read as a dictionary and a frame that was compressed with it: no more comes out than
// was asked for, and what is compressed anew comes out as it went in. That a malformed frame gives
// the same each time is not asked: what libzstd says may depend on what it read before, and the
// seal and the object's name tell.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "store/sqlite/compression.h"

using namespace spoor;
using namespace spoor::store::sqlite;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

constexpr std::size_t kMost = 1U << 16U;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Two bytes tell how long the dictionary is.
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t split = std::size_t{data[0]} << 8U | data[1];
  const std::string_view dictionary = text.substr(0, split);
  const std::string_view frame = text.substr(dictionary.size());
  const auto lookup = [&](DictionaryNumber) { return std::optional(std::string(dictionary)); };

  Decompressor decompressor;
  const auto body = decompressor.decompress(frame, kMost, lookup);
  if (body) require(body->size() <= kMost);

  if (frame.size() > kMostCompressed) return 0;
  Compressor compressor{std::string_view()};
  if (const auto packed = compressor.compress(frame)) {
    require(is_sealed(*packed));
    require(decompressor.decompress(*packed, frame.size(), lookup) == frame);
  }
  return 0;
}
