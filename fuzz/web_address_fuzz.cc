// Any text: an address that is read is written and read as the same one, in characters that no
// reader takes for others. The text is taken as an address, and as where a redirect leads.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/builtin/web_address.h"

namespace {

using spoor::agent::builtin::follow;
using spoor::agent::builtin::is_allowed;
using spoor::agent::builtin::parse_web_address;
using spoor::agent::builtin::WebAddress;

void require(bool claim) {
  if (!claim) std::abort();
}

void check(const WebAddress& address) {
  const std::string text = address.text();
  for (const char c : text) require(c > 0x20 && c < 0x7f && c != '\\');
  require(address.host.find_first_of("/@?#") == std::string::npos);
  const auto again = parse_web_address(text);
  require(again.has_value() && again.value() == address);
  const std::string entry[] = {address.host + ":" + address.port};
  require(is_allowed(address, entry));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto address = parse_web_address(text)) check(address.value());
  const WebAddress base{"https", "example.com", "443", "/a/b?c"};
  if (const auto next = follow(base, text)) check(next.value());
  return 0;
}
