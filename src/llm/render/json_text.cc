#include "llm/render/json_text.h"

#include "base/json/writer.h"
#include "base/utf8.h"

namespace spoor::llm::render {
namespace {

// True if a strict reader also accepts this JSON of the lenient reader. Line ends between values
// are allowed.
bool is_strict(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (in_string && c < 0x20) return false;
    if (c == '"') in_string = !in_string;
    if (c == '\\') ++i;  // Only strings contain backslashes, and an escape never ends one.
  }
  return is_utf8(text);
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  // The store has half a surrogate pair as three bytes from ED A0 80 on; no other character begins
  // like that.
  std::string mended;
  for (std::size_t at = 0; (at = text.find('\xed', at)) != std::string_view::npos; ++at) {
    const bool is_half = at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0;
    if (!is_half) continue;
    if (mended.empty()) mended = text;
    mended[at] = '\xff';  // Not valid UTF-8, so each of the bytes becomes one U+FFFD.
  }
  json::append_string(out, mended.empty() ? text : mended);
}

void append_comma(std::string& out) {
  if (!out.empty() && out.back() != '[' && out.back() != '{') out += ',';
}

void append_key(std::string& out, std::string_view key) {
  append_comma(out);
  append_string(out, key);
  out += ':';
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  append_key(out, key);
  append_string(out, text);
}

std::string strict_or_empty(std::string_view text, json::Type type) {
  const auto document = json::parse(text);
  if (!document || !document->root().is(type)) return {};
  if (is_strict(text)) return std::string(document->root().raw());
  std::string canonical;
  json::append_canonical(canonical, document->root());
  return canonical;
}

std::string arguments_object(std::string_view arguments) {
  if (arguments.empty()) return "{}";
  std::string object = strict_or_empty(arguments, json::Type::object);
  if (!object.empty()) return object;
  std::string wrapped = "{";
  append_member(wrapped, "arguments", arguments);
  return wrapped + '}';
}

}  // namespace spoor::llm::render
