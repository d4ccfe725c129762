// Any bytes as the files that people write by hand: settings and prices. An error names the file. A
// file that is not TOML is not edited; in any other, a setting is either refused with an error, or
// reads back as it was set, and all others stay as they were.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "cli/settings/config_file.h"
#include "cli/settings/prices.h"

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
  const ConfigFile before = read_config(text, "file");
  for (const char* key : {"author", "keys.directory", "capture", "capture.fields"}) {
    for (const auto& value :
         {std::optional<std::string>("ann \"b\""), std::optional<std::string>()}) {
      const auto changed = edited_config(text, "file", key, value);
      if (before.broken) require(!changed.has_value());
      if (!is_read(changed)) continue;
      ConfigFile wanted = before;
      wanted.wrong.erase(key);
      wanted.values.erase(key);
      if (value) wanted.values.emplace(key, *value);
      const ConfigFile after = read_config(*changed, "file");
      require(!after.broken && after.values == wanted.values);
      require(after.wrong.size() == wanted.wrong.size());
      for (const auto& [name, error] : wanted.wrong) require(after.wrong.count(name) == 1);
    }
  }
  return 0;
}
