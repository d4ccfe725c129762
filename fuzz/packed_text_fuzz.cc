// Any bytes as strict text: what is packed comes out as it went in. And as a packed row: what comes
// out has the size that was asked for.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/sqlite/packed_text.h"

using namespace spoor;
using namespace spoor::store::sqlite;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto packed = pack_text(text)) {
    require(unpack_text(*packed, text.size()) == text);
    require(!unpack_text(*packed, text.size() + 1));
  }
  // Two bytes tell how long the text of a row is.
  if (size < 2) return 0;
  const std::size_t wanted = std::size_t{data[0]} << 8U | data[1];
  const auto unpacked = unpack_text(text.substr(2), wanted);
  require(!unpacked || unpacked->size() == wanted);
  return 0;
}
