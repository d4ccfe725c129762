#include "report/event/canonical.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/numbers.h"
#include "base/json/number.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/utf8.h"

namespace spoor::report {
namespace {

// Code points beyond U+FFFF begin with a surrogate in UTF-16, so they sort before U+E000 to U+FFFF.
bool is_before_in_utf16(const std::string& a, const std::string& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() || other == b.end()) return at == a.end() && other != b.end();
  const auto left = static_cast<unsigned char>(*at);
  const auto right = static_cast<unsigned char>(*other);
  const bool is_left_pair = left >= 0xf0;
  const bool is_right_pair = right >= 0xf0;
  if (is_left_pair == is_right_pair) return left < right;
  // In the other text, the first byte is EE or EF from U+E000 on; U+D7FF and less sort before.
  return is_left_pair ? right >= 0xee : left < 0xee;
}

// Returns false if the value has no bytes in RFC 8785.
bool append(std::string& out, const json::Value& value);

bool append_object(std::string& out, const json::Value& object) {
  std::vector<std::pair<std::string, json::Value>> members;
  for (const auto& [key, member] : object.members()) members.emplace_back(key.text(), member);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return is_before_in_utf16(a.first, b.first); });
  out.push_back('{');
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [key, member] = members[i];
    if (i > 0 && members[i - 1].first == key) return false;
    if (!is_utf8(key)) return false;
    if (i > 0) out.push_back(',');
    json::append_string(out, key);
    out.push_back(':');
    if (!append(out, member)) return false;
  }
  out.push_back('}');
  return true;
}

bool append(std::string& out, const json::Value& value) {
  if (value.is_object()) return append_object(out, value);
  if (value.is_array()) {
    out.push_back('[');
    bool is_first = true;
    for (const json::Value element : value.elements()) {
      if (!std::exchange(is_first, false)) out.push_back(',');
      if (!append(out, element)) return false;
    }
    out.push_back(']');
    return true;
  }
  if (value.is_string()) {
    const std::string text = value.text();
    if (!is_utf8(text)) return false;
    json::append_string(out, text);
    return true;
  }
  if (value.is_number()) {
    const auto number = agent::number_of(value);
    if (!number) return false;
    out += json::write_number(*number);
    return true;
  }
  out += value.raw();
  return true;
}

}  // namespace

std::optional<std::string> canonical_rfc8785(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return std::nullopt;
  std::string out;
  out.reserve(text.size());
  if (!append(out, document->root())) return std::nullopt;
  return out;
}

}  // namespace spoor::report
