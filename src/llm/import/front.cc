#include "llm/import/front.h"

#include <algorithm>

#include "compile/json/python.h"

namespace spoor::llm::import {

namespace json = compile::json;

namespace {

// How many bytes a character of a string has there, escapes being one; 0 when its end is missing.
std::size_t unit_at(std::string_view text, std::size_t at) {
  if (text[at] != '\\') return 1;
  const std::size_t size = at + 1 < text.size() && text[at + 1] == 'u' ? 6 : 2;
  return at + size <= text.size() ? size : 0;
}

}  // namespace

std::string closed_front(std::string_view text) {
  std::string closers;
  std::size_t good = 0;        // The text up to here, closed, is JSON as far as can be told.
  std::size_t open_there = 0;  // How many of `closers` were open there.
  char before = 0;             // What stands before a string.
  for (std::size_t i = 0; i < text.size() && closers.size() <= json::kMaxDepth; ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if (c == '"') {
      std::size_t at = i + 1;
      while (at < text.size() && text[at] != '"') {
        const std::size_t unit = unit_at(text, at);
        if (unit == 0) break;
        at += unit;
      }
      const bool is_value = before == ':' || (!closers.empty() && closers.back() == ']');
      if (at == text.size() || text[at] != '"') {  // Cut off within it: a value's beginning stays.
        if (!is_value) break;
        return std::string(text.substr(0, at)) + '"' +
               std::string(closers.rbegin(), closers.rend());
      }
      i = at;
      before = c;
      continue;
    }
    if (c == '{' || c == '[') closers.push_back(c == '{' ? '}' : ']');
    if (c == '}' || c == ']') {
      if (closers.empty() || closers.back() != c) break;
      closers.pop_back();
    }
    const bool is_bracket = c == '{' || c == '[' || c == '}' || c == ']';
    if (is_bracket || c == ',') {
      good = is_bracket ? i + 1 : i;
      open_there = closers.size();
    }
    before = c;
  }
  if (good == 0) return {};
  std::string out(text.substr(0, good));
  closers.resize(std::min(closers.size(), open_there));
  out.append(closers.rbegin(), closers.rend());
  return out;
}

Front::Front(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const json::Reading reading = json::parse_python(head, document_);
  if (reading) {
    text_ = head.substr(0, reading.end);
    rest_ = head.substr(std::min(head.find_first_not_of(" \t\r\n", reading.end), head.size()));
  } else if (reading.status == json::Reading::Status::torn) {
    text_ = closed_front(head);
  }
  if (!json::parse_python(text_, document_)) document_ = {};
}

bool holds_record(std::string_view head, bool (*is_it)(const json::Value& record)) {
  constexpr int kMostLines = 50;
  json::Document document;
  for (int line = 0; line < kMostLines && !head.empty(); ++line) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const json::Reading reading = json::parse_python(head.substr(0, end), document);
    if (reading && is_it(document.root())) return true;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}

}  // namespace spoor::llm::import
