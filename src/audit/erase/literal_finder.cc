#include "audit/erase/literal_finder.h"

#include <algorithm>
#include <cstring>

#include "compile/json/reader.h"
#include "llm/base64.h"
#include "store/text.h"

namespace spoor::audit {
namespace {

constexpr int kDeepest = 4;  // A call's arguments in a provider's item in a record of a session.

bool contains(std::string_view hay, std::string_view needle) {
  return ::memmem(hay.data(), hay.size(), needle.data(), needle.size()) != nullptr;
}

bool contains_any(std::string_view hay, const std::vector<std::string>& needles) {
  return std::any_of(needles.begin(), needles.end(),
                     [hay](const std::string& needle) { return contains(hay, needle); });
}

// What stands in base64 wherever `text` is encoded with `before` bytes in front of it in its first
// group of three: without the characters that its neighbours have a part in.
std::string inside_base64(std::string_view text, std::size_t before) {
  const std::string coded = llm::encode_base64(std::string(before, '\0') + std::string(text));
  const std::size_t bits = 8 * (before + text.size());
  const std::size_t begin = (8 * before + 5) / 6;
  return coded.substr(begin, bits / 6 - begin);
}

std::string with_url_alphabet(std::string coded) {
  std::replace(coded.begin(), coded.end(), '+', '-');
  std::replace(coded.begin(), coded.end(), '/', '_');
  return coded;
}

}  // namespace

bool LiteralFinder::add(std::string_view text) {
  const std::string_view needle = store::trimmed(text);
  if (needle.size() < kLeast) return false;
  if (std::find(plain_.begin(), plain_.end(), needle) != plain_.end()) return true;
  plain_.emplace_back(needle);
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string coded = inside_base64(needle, before);
    const std::string other = with_url_alphabet(coded);
    coded_.push_back(coded);
    if (other != coded) coded_.push_back(other);
  }
  return true;
}

bool LiteralFinder::is_in(std::string_view bytes) const {
  if (contains_any(bytes, plain_) || contains_any(bytes, coded_)) return true;
  std::string owned;
  for (int depth = 0; depth < kDeepest && contains(bytes, "\\"); ++depth) {
    owned = compile::json::unescape(bytes);
    bytes = owned;
    // Base64 may have its slashes escaped.
    if (contains_any(bytes, plain_) || contains_any(bytes, coded_)) return true;
  }
  return false;
}

}  // namespace spoor::audit
