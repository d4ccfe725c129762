// Patterns that a model gives: the first line is one, the rest is searched. A match lies within the
// text and is found again where nothing stands behind it; no pattern takes long.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/builtin/glob.h"
#include "agent/builtin/regex.h"

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

  const auto regex = Regex::parse(pattern, size % 2 == 0);
  if (regex) {
    Regex::Room room;
    const std::size_t end = regex->find_end(text, room);
    require(end == Regex::npos || end <= text.size());
    require(regex->find_end(text, room) == end);  // The room remembers nothing.
  } else {
    require(regex.error().code == spoor::store::Error::Code::invalid);
    require(!regex.error().message.empty());
  }

  const bool matches = matches_glob(pattern, text);
  if (pattern.find_first_of("*?") == std::string_view::npos) require(matches == (pattern == text));
  require(matches_glob("*" + std::string(pattern), text) || !matches);
  matches_globs(pattern, text, text);
  return 0;
}
