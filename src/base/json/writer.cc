#include "base/json/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/json/scan.h"
#include "base/utf8.h"

namespace spoor::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

void append_unicode(std::string& out, char32_t code) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kHex[(code >> shift) & 0xf]);
}

/// Returns the surrogate at the front in WTF-8 (ED A0..BF 80..BF), or 0.
char32_t front_surrogate(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() < 3 || byte(0) != 0xed || byte(1) < 0xa0 || byte(1) > 0xbf) return 0;
  if (byte(2) < 0x80 || byte(2) > 0xbf) return 0;
  return 0xd000U | ((byte(1) & 0x3fU) << 6) | (byte(2) & 0x3fU);
}

/// Appends the invalid UTF-8 at the front in its repaired form; returns the number of bytes it
/// consumed.
std::size_t append_broken(std::string& out, std::string_view text) {
  const char32_t first = front_surrogate(text);
  if (first == 0) {
    out += kReplacement;
    return 1;
  }
  const char32_t second = front_surrogate(text.substr(3));
  if (first < 0xdc00 && second >= 0xdc00) {  // Two escapes would be read as one.
    append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    return 6;
  }
  append_unicode(out, first);
  return 3;
}

/// Returns the position of the first byte that is not UTF-8, or the size.
std::size_t find_broken(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint next = decode_utf8(text.substr(at));
    if (!next.valid) return at;
    at += next.length;
  }
  return at;
}

/// Converts `text` to WTF-8 without split pairs. Sorting by bytes then sorts by code point, and
/// equal keys have equal bytes.
std::string repaired(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string escaped;
  append_escaped_repaired(escaped, text);
  return unescape(escaped);
}

bool is_number_token(std::string_view token) {
  Document document;
  const Reading reading = parse_one(token, document);
  return reading && document.root().is_number() && document.root().raw() == token;
}

using KeyAndValue = std::pair<std::string, Value>;

void append_object(std::string& out, const Value& object) {
  std::vector<KeyAndValue> members;
  for (const Member& member : object.members()) {
    members.emplace_back(repaired(member.key.text()), member.value);
  }
  const auto by_key = [](const KeyAndValue& a, const KeyAndValue& b) { return a.first < b.first; };
  std::stable_sort(members.begin(), members.end(), by_key);
  out.push_back('{');
  bool first = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [key, value] = members[i];
    if (i + 1 < members.size() && members[i + 1].first == key) continue;  // The last one wins.
    if (!first) out.push_back(',');
    first = false;
    append_string(out, key);
    out.push_back(':');
    append_canonical(out, value);
  }
  out.push_back('}');
}

void append_array(std::string& out, const Value& array) {
  out.push_back('[');
  bool first = true;
  for (const Value& element : array.elements()) {
    if (!first) out.push_back(',');
    first = false;
    append_canonical(out, element);
  }
  out.push_back(']');
}

}  // namespace

void append_escaped_repaired(std::string& out, std::string_view text) {
  for (;;) {
    const std::size_t sound = find_broken(text);
    append_escaped(out, text.substr(0, sound));
    text.remove_prefix(sound);
    if (text.empty()) return;
    text.remove_prefix(append_broken(out, text));
  }
}

void append_string(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  out.push_back('"');
  if (!append_escaped(out, text) && !is_utf8(text)) {
    out.resize(start + 1);
    append_escaped_repaired(out, text);
  }
  out.push_back('"');
}

std::string write_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

void append_canonical(std::string& out, const Value& value) {
  switch (value.type()) {
    case Type::object:
      return append_object(out, value);
    case Type::array:
      return append_array(out, value);
    case Type::string:
      return append_string(out, value.text());
    case Type::null:
      out += "null";
      return;
    case Type::boolean:
    case Type::number:
      out += value.raw();
      return;
  }
}

void append_compact(std::string& out, const Value& value) {
  if (value.is_object()) {
    std::map<std::string, std::size_t> last;  // The start of each key's last value.
    for (const auto& [key, member] : value.members()) last[key.text()] = member.offset();
    char before = '{';
    for (const auto& [key, member] : value.members()) {
      const std::string name = key.text();
      if (last.at(name) != member.offset()) continue;
      out.push_back(std::exchange(before, ','));
      append_string(out, name);
      out.push_back(':');
      append_compact(out, member);
    }
    if (before == '{') out.push_back('{');
    out.push_back('}');
  } else if (value.is_array()) {
    char before = '[';
    for (const Value element : value.elements()) {
      out.push_back(std::exchange(before, ','));
      append_compact(out, element);
    }
    if (before == '[') out.push_back('[');
    out.push_back(']');
  } else {
    append_canonical(out, value);
  }
}

Result<std::string> canonical(std::string_view json_text) {
  const Document document = TRY(parse(json_text));
  std::string out;
  out.reserve(json_text.size());
  append_canonical(out, document.root());
  return out;
}

bool is_canonical_object(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  const auto again = canonical(text);
  return again && again.value() == text;
}

std::string write_object(std::string_view key, std::string json) {
  Object object;
  object.add_json(key, std::move(json));
  return object.write();
}

std::string write_array(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (const std::string& element : elements) {
    if (out.size() > 1) out.push_back(',');
    out += element;
  }
  out.push_back(']');
  return out;
}

std::string write_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> elements;
  elements.reserve(texts.size());
  for (const std::string& text : texts) elements.push_back(write_string(text));
  return write_array(elements);
}

void Object::add_string(std::string_view key, std::string_view text) {
  add_json(key, write_string(text));
}

void Object::add_integer(std::string_view key, std::int64_t value) {
  if (value > kMaxExactInteger || value < -kMaxExactInteger) {
    throw std::logic_error("an integer of more than 53 bits in canonical JSON");
  }
  add_json(key, fmt::format_int(value).str());
}

void Object::add_boolean(std::string_view key, bool value) {
  add_json(key, value ? "true" : "false");
}

void Object::add_raw_token(std::string_view key, std::string_view token) {
  if (!is_number_token(token)) throw std::logic_error("no number token");
  add_json(key, std::string(token));
}

void Object::add_json(std::string_view key, std::string json) {
  members_.emplace_back(repaired(key), std::move(json));
}

void Object::add_value(std::string_view key, const Value& value) {
  std::string json;
  append_canonical(json, value);
  add_json(key, std::move(json));
}

std::string Object::write() const {
  std::vector<const std::pair<std::string, std::string>*> sorted;
  sorted.reserve(members_.size());
  for (const auto& member : members_) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->first < b->first; });
  std::string out = "{";
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i + 1 < sorted.size() && sorted[i + 1]->first == sorted[i]->first) continue;
    if (out.size() > 1) out.push_back(',');
    append_string(out, sorted[i]->first);
    out.push_back(':');
    out += sorted[i]->second;
  }
  out.push_back('}');
  return out;
}

}  // namespace spoor::json
