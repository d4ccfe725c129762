#pragma once

#include <optional>
#include <string_view>

namespace spoor::proof {

/// Takes the first line off the front of `text` and returns it without its line feed. Nullopt, and
/// `text` is as it was, if there is no line feed.
inline std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace spoor::proof
