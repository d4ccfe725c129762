#include "llm/render/json_text.h"

#include "compile/json/writer.h"
#include "store/utf8.h"

namespace spoor::llm::render {
namespace {

namespace json = compile::json;

// Is JSON that the lenient reader took also what a strict one takes? Line ends between values are.
bool is_strict(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (in_string && c < 0x20) return false;
    if (c == '"') in_string = !in_string;
    if (c == '\\') ++i;  // Only strings hold one, and it never ends them.
  }
  return store::is_utf8(text);
}

}  // namespace

void append_comma(std::string& out) {
  if (!out.empty() && out.back() != '[' && out.back() != '{') out += ',';
}

void append_key(std::string& out, std::string_view key) {
  append_comma(out);
  json::append_string(out, key);
  out += ':';
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  append_key(out, key);
  json::append_string(out, text);
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
