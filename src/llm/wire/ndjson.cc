#include "llm/wire/ndjson.h"

#include <utility>

namespace spoor::llm::wire {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void JsonValues::feed(std::string_view bytes, const OnValue& on_value) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (is_in_string_) {
      at += take_string(bytes.substr(at), on_value);
      continue;
    }
    const char c = bytes[at++];
    if (value_.empty() && take_between(c)) continue;

    // A bare word or number has no end mark: the next character that cannot belong to it ends it.
    const bool is_bare = depth_ == 0 && !value_.empty();
    if (is_bare && (is_space(c) || c == ',' || c == ']')) {
      end_value(on_value);
      --at;
      continue;
    }
    value_ += c;
    if (c == '"') {
      is_in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && depth_ > 0 && --depth_ == 0) {
      end_value(on_value);
    }
  }
}

void JsonValues::finish(const OnValue& on_value) {
  if (value_.empty()) return;
  const bool is_cut = depth_ > 0 || is_in_string_;
  const std::string value = std::move(value_);
  value_.clear();
  on_value(value, is_cut);
}

// Reads one character between values. Returns false if it begins a value.
bool JsonValues::take_between(char c) {
  if (is_space(c)) return true;
  if (c == '[' && is_first_) {
    is_first_ = false;
    is_in_array_ = true;
    return true;
  }
  is_first_ = false;
  if (!is_in_array_) return false;
  if (c == ']') is_in_array_ = false;
  return c == ']' || c == ',';
}

// Appends the part of `bytes` that belongs to the open string. Returns its length.
std::size_t JsonValues::take_string(std::string_view bytes, const OnValue& on_value) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (is_escaped_) {
      is_escaped_ = false;
      ++at;
      continue;
    }
    at = bytes.find_first_of("\"\\", at);
    if (at == std::string_view::npos) break;
    if (bytes[at++] == '\\') {
      is_escaped_ = true;
      continue;
    }
    is_in_string_ = false;
    value_ += bytes.substr(0, at);
    if (depth_ == 0) end_value(on_value);
    return at;
  }
  value_ += bytes;
  return bytes.size();
}

void JsonValues::end_value(const OnValue& on_value) {
  on_value(value_, false);
  value_.clear();
}

}  // namespace spoor::llm::wire
