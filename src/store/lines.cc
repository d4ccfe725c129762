#include "store/lines.h"

#include <array>
#include <charconv>

#include "base/utf8.h"

namespace spoor::store {

LineReader::LineReader(std::string_view body) : rest_(body), sound_(body.ends_with('\n')) {}

std::optional<std::string_view> LineReader::take(std::string_view key) {
  if (!sound_ || rest_.size() <= key.size() || !rest_.starts_with(key) ||
      rest_[key.size()] != ' ') {
    return std::nullopt;
  }
  const std::size_t end = rest_.find('\n', key.size());
  const std::string_view value = rest_.substr(key.size() + 1, end - key.size() - 1);
  if (value.empty()) {  // An absent value has no line.
    sound_ = false;
    return std::nullopt;
  }
  rest_.remove_prefix(end + 1);
  return value;
}

std::string_view LineReader::next_key() const {
  return rest_.substr(0, rest_.find_first_of(" \n"));
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (text.empty() || text.size() > 16 || (text.size() > 1 && text.front() == '0'))
    return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMaxInteger)
    return std::nullopt;
  return value;
}

bool is_plain_line(std::string_view text, std::size_t max) {
  if (text.empty() || text.size() > max || text.front() == ' ' || text.back() == ' ') return false;
  while (!text.empty()) {
    const CodePoint next = decode_utf8(text);
    if (!next.valid || is_control(next.code) || next.code == 0x2028 || next.code == 0x2029)
      return false;
    text.remove_prefix(next.length);
  }
  return true;
}

void append_line(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(1, ' ').append(value).append(1, '\n');
}

void append_line(std::string& out, std::string_view key, const Oid& value) {
  out.append(key).append(1, ' ');
  append_hex(out, value);
  out.append(1, '\n');
}

void append_line(std::string& out, std::string_view key, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  append_line(out, key,
              std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

}  // namespace spoor::store
