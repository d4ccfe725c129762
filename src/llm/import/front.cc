#include "llm/import/front.h"

namespace spoor::llm::import {

namespace json = compile::json;

std::string closed_front(std::string_view text) {
  std::string closers;
  std::size_t good = 0;        // The text up to here, closed, is JSON as far as can be told.
  std::size_t open_there = 0;  // How many of `closers` were open there.
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') closers.push_back(c == '{' ? '}' : ']');
    if (c == '}' || c == ']') {
      if (closers.empty() || closers.back() != c) break;
      closers.pop_back();
    }
    if (c == '{' || c == '[' || c == '}' || c == ']') good = i + 1;
    if (c == ',') good = i;
    if (good == i + 1 || (c == ',' && good == i)) open_there = closers.size();
    if (closers.size() > json::kMaxDepth) break;
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
  const json::Reading reading = json::parse_one(head, document_);
  if (reading) {
    text_ = head.substr(0, reading.end);
    has_more_ = head.find_first_not_of(" \t\r\n", reading.end) != std::string_view::npos;
  } else if (reading.status == json::Reading::Status::torn) {
    text_ = closed_front(head);
  }
  if (!json::parse_one(text_, document_)) document_ = {};
}

}  // namespace spoor::llm::import
