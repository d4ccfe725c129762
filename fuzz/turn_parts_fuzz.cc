// Any bytes as the JSON that a turn's objects hold (an archive brings them): what was read once is
// written the same from then on. Bytes that are no UTF-8 are read, and never written.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compile/turn.h"

using namespace spoor;
using namespace spoor::compile;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

template <class Part>
void check(const spoor::Result<Part>& part, spoor::Result<Part> (*read)(std::string_view),
           spoor::Result<std::string> (*write)(const Part&)) {
  if (!part) {
    require(part.error().code == spoor::Error::Code::corrupt);
    require(!part.error().message.empty());
    return;
  }
  const auto written = write(*part);
  if (!written || written->empty()) return;  // More than there is room for, or nothing.
  const auto again = read(*written);
  require(again.has_value() && write(*again).value() == *written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  check<Fields>(read_fields(json), read_fields, write_fields);
  check<Extra>(read_extra(json), read_extra, write_extra);
  check<Facts>(read_facts(json), read_facts, write_facts);
  return 0;
}
