#include "import/head.h"

#include <algorithm>

#include "base/json/python.h"

namespace spoor::import {

namespace {

// Includes the NUL bytes that a crash leaves between records.
constexpr std::string_view kSpace{" \t\r\n\0", 5};

// Returns the size in bytes of the character or escape at `at` in a string; 0 if its end is
// missing.
std::size_t unit_at(std::string_view text, std::size_t at) {
  if (text[at] != '\\') return 1;
  const std::size_t size = at + 1 < text.size() && text[at + 1] == 'u' ? 6 : 2;
  return at + size <= text.size() ? size : 0;
}

}  // namespace

std::string closed_front(std::string_view text) {
  std::string closers;
  std::size_t good = 0;        // The text up to here, closed, is probably valid JSON.
  std::size_t open_there = 0;  // The size of `closers` at that point.
  char before = 0;             // The character before a string.
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
      if (at == text.size() || text[at] != '"') {  // Cut off: keep the beginning of a value.
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

Head::Head(std::string_view bytes) : bytes_(bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes_.starts_with(kByteOrderMark)) bytes_.remove_prefix(kByteOrderMark.size());
  read_records();
}

void Head::read_records() {
  constexpr std::size_t kMostRecords = 50;
  constexpr int kMostLines = 50;
  std::string_view rest = bytes_;
  for (int lines = 0; lines < kMostLines && records_.size() < kMostRecords;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
    if (rest.empty()) return;
    json::Document& document = documents_.emplace_back();
    const json::Reading reading = json::parse_python(rest, document);
    const bool is_first = rest.data() == bytes_.data();
    if (reading) {
      records_.push_back(document.root());
      rest.remove_prefix(reading.end);
      if (!is_first) continue;
      first_ = records_.back();
      rest_ = rest.substr(std::min(rest.find_first_not_of(kSpace), rest.size()));
      continue;
    }
    if (reading.status == json::Reading::Status::torn) {
      front_ = closed_front(rest);
      if (!json::parse_python(front_, document)) return;
      records_.push_back(document.root());
      is_torn_ = is_first;
      if (is_first) first_ = records_.back();
      return;
    }
    documents_.pop_back();
    ++lines;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
  }
}

bool Head::contains(bool (*is_it)(const json::Value& record)) const {
  return std::any_of(records_.begin(), records_.end(), is_it);
}

bool Head::is_mostly(bool (*is_it)(const json::Value& record)) const {
  const auto count = std::count_if(records_.begin(), records_.end(), is_it);
  return !records_.empty() && static_cast<std::size_t>(count) * 2 >= records_.size();
}

}  // namespace spoor::import
