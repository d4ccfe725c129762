// Any bytes as the files that people write by hand: settings and prices. What is not understood
// names its line; a setting that is set is what is read then, and the others stay as they were.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/config.h"
#include "cli/prices.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

template <class T>
bool is_read(const Result<T>& result) {
  if (result) return true;
  require(result.error().code == Error::Code::invalid);
  require(result.error().message.find("file") != std::string::npos);
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  is_read(parse_prices(text, "file"));
  const auto values = parse_config(text, "file");
  if (!is_read(values)) return 0;

  const auto changed = parse_config(edited_config(text, "author", "ann \"b\""), "file");
  require(changed.has_value());
  ConfigValues wanted = *values;
  wanted.insert_or_assign("author", "ann \"b\"");
  require(*changed == wanted);
  const auto removed = parse_config(edited_config(text, "author", std::nullopt), "file");
  wanted.erase("author");
  require(removed.has_value() && *removed == wanted);
  return 0;
}
