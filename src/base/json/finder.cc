#include "base/json/finder.h"

#include <algorithm>

namespace spoor::json {

Finder::Finder(std::string_view text)
    : text_(text), most_(kMaxReadings * std::max<std::size_t>(text.size(), 4096)) {}

Value Finder::value_at(std::size_t from) {
  is_torn_ = false;
  if (from >= text_.size() || bytes_read_ >= most_) return {};
  const std::string_view rest = text_.substr(from);
  const Reading reading = parse_one(rest, document_);
  bytes_read_ += std::max<std::size_t>(reading.end, 1);
  is_torn_ = reading.status == Reading::Status::torn;
  return reading ? document_.root() : Value();
}

Value Finder::first_of(std::string_view openings, std::size_t from) {
  is_torn_ = false;
  for (std::size_t at = text_.find_first_of(openings, from); at != std::string_view::npos;
       at = text_.find_first_of(openings, at + 1)) {
    if (bytes_read_ >= most_) return {};
    const Value value = value_at(at);
    if (value || is_torn_) return value;
  }
  return {};
}

std::size_t Finder::end_of(const Value& value) const {
  const std::string_view raw = value.raw();
  return static_cast<std::size_t>(raw.data() - text_.data()) + raw.size();
}

}  // namespace spoor::json
