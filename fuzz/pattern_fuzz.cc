// Patterns of file names that a model gives: the first line is one, the rest is a name. No pattern
// takes long.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/builtin/glob.h"

using namespace spoor;
using namespace spoor::agent::builtin;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view whole(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = whole.substr(0, whole.find('\n'));
  const std::string_view text =
      whole.substr(std::min(pattern.size() + 1, whole.size())).substr(0, 2'000);

  const bool matches = matches_glob(pattern, text);
  if (pattern.find_first_of("*?") == std::string_view::npos) require(matches == (pattern == text));
  require(matches_glob("*" + std::string(pattern), text) || !matches);
  matches_globs(pattern, text, text);
  return 0;
}
