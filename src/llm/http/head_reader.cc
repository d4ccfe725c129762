#include "llm/http/head_reader.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/text.h"

namespace spoor::llm::http {
namespace {

constexpr std::string_view kBlank = " \t";

}  // namespace

HeadReader::State HeadReader::feed(std::string_view line) {
  if (state_ == State::complete) state_ = State::behind;
  if (state_ != State::reading) return state_;
  bytes_ += line.size();
  if (bytes_ > kMaxBytes) return state_ = State::broken;

  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) return begin(line);
  if (line.empty()) return end();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return state_;  // Not a header.
  head_.headers.emplace_back(lowered(trimmed(line.substr(0, colon), kBlank)),
                             std::string(trimmed(line.substr(colon + 1), kBlank)));
  return state_;
}

HeadReader::State HeadReader::begin(std::string_view status_line) {
  // HTTP/1.1 200 OK
  head_ = {};
  const std::size_t space = status_line.find(' ');
  if (space == std::string_view::npos) return state_ = State::broken;
  const std::string_view digits = status_line.substr(space + 1, 3);
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), head_.status);
  if (problem != std::errc() || head_.status < 100) return state_ = State::broken;
  return state_;
}

HeadReader::State HeadReader::end() {
  if (head_.status == 0) return state_ = State::broken;
  if (head_.status < 200) {
    head_ = {};
    return state_;
  }
  return state_ = State::complete;
}

}  // namespace spoor::llm::http
