#include "api/json_writer.h"

#include <fmt/format.h>

#include "base/hidden_text.h"
#include "base/json/writer.h"
#include "base/utf8.h"

namespace spoor::api {
namespace {

// Writes code points beyond U+FFFF as two halves, as in JSON (RFC 8259, section 7).
void append_escape(std::string& out, char32_t code) {
  const auto escape = [&out](char32_t unit) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(unit));
  };
  if (code < 0x10000) return escape(code);
  code -= 0x10000;
  escape(0xd800 + (code >> 10U));
  escape(0xdc00 + (code & 0x3ffU));
}

}  // namespace

std::string harmless_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  HiddenText hidden;
  while (!json.empty()) {
    // Copies plain ASCII, most of the text, in one piece.
    std::size_t plain = 0;
    while (plain < json.size() && static_cast<unsigned char>(json[plain]) < 0x7f) ++plain;
    if (plain > 0) {
      hidden.take(static_cast<unsigned char>(json[plain - 1]), json.substr(plain));
      out += json.substr(0, plain);
    }
    json.remove_prefix(plain);
    if (json.empty()) break;
    const CodePoint next = decode_utf8(json);
    const std::string_view bytes = json.substr(0, next.length);
    json.remove_prefix(next.length);
    const bool is_hidden = hidden.take(next.valid ? next.code : 0xfffd, json);
    if (next.valid && (is_control(next.code) || is_hidden)) {
      append_escape(out, next.code);
    } else {
      out += bytes;
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string escaped = "\"";
  if (is_utf8(text)) {
    json::append_escaped(escaped, text);
  } else {
    json::append_escaped_repaired(escaped, text);
  }
  return harmless_json(escaped + '"');
}

JsonWriter& JsonWriter::object() {
  begin_value();
  text_ += '{';
  open_ += '}';
  has_items_ = false;
  return *this;
}

JsonWriter& JsonWriter::array() {
  begin_value();
  text_ += '[';
  open_ += ']';
  has_items_ = false;
  return *this;
}

JsonWriter& JsonWriter::end() {
  const char bracket = open_.back();
  open_.pop_back();
  if (has_items_) new_line();
  text_ += bracket;
  has_items_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  begin_value();
  text_.append(json_string(name)).append(one_line_ ? ":" : ": ");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return json(json_string(text)); }
JsonWriter& JsonWriter::value(const store::Oid& oid) { return json('"' + oid.hex() + '"'); }
JsonWriter& JsonWriter::value(std::int64_t number) { return json(std::to_string(number)); }
JsonWriter& JsonWriter::value(std::uint64_t number) { return json(std::to_string(number)); }
JsonWriter& JsonWriter::value(bool truth) { return json(truth ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return json("null"); }

JsonWriter& JsonWriter::json(std::string_view text) {
  begin_value();
  text_ += text;
  return *this;
}

std::string JsonWriter::take() { return take_value() + '\n'; }

std::string JsonWriter::take_value() {
  std::string document;
  document.swap(text_);
  has_items_ = false;
  return document;
}

// Writes the separator before a value or a key: none after a key, a comma after another value, and
// a new line inside brackets.
void JsonWriter::begin_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  if (has_items_) text_ += ',';
  has_items_ = true;
  new_line();
}

void JsonWriter::new_line() {
  if (one_line_) return;
  text_ += '\n';
  text_.append(open_.size() * 2, ' ');
}

}  // namespace spoor::api
