#include "agent/reading/block_tags.h"

#include <algorithm>

#include "base/text.h"

namespace spoor::agent::reading {
namespace {

bool equals(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

bool is_in_name(char c) {
  const char small = lower(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == ':' || c == '.';
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kWhiteSpace, at), text.size());
}

// Returns the attribute value that begins at `at`, and moves `at` to its end.
std::string_view take_value(std::string_view text, std::size_t& at) {
  const bool is_quoted = at < text.size() && (text[at] == '"' || text[at] == '\'');
  const std::size_t begin = is_quoted ? at + 1 : at;
  const std::size_t end =
      std::min(is_quoted ? text.find(text[at], begin) : text.find_first_of(kWhiteSpace, at),
               text.size());  // An unclosed quote ends with the tag.
  at = is_quoted ? std::min(end + 1, text.size()) : end;
  return trimmed(text.substr(begin, end - begin));
}

}  // namespace

std::optional<Tag> find_tag(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t at = text.find('<', from); at != std::string_view::npos;
       at = text.find('<', at + 1)) {
    Tag tag;
    tag.begin = at;
    tag.is_closing = text.substr(at + 1).starts_with('/');
    const std::size_t begin = at + (tag.is_closing ? 2 : 1);
    if (!equals(text.substr(std::min(begin, text.size()), name.size()), name)) continue;
    const std::size_t behind = begin + name.size();
    if (behind < text.size() && is_in_name(text[behind])) continue;

    if (tag.is_closing) {
      tag.end = skip_space(text, behind);
      if (tag.end < text.size() && text[tag.end] == '>') ++tag.end;
      return tag;
    }
    const std::size_t end = text.find_first_of("<>", behind);
    if (end != std::string_view::npos && text[end] == '<') continue;
    tag.is_cut = end == std::string_view::npos;
    tag.attributes = text.substr(behind, end == std::string_view::npos ? end : end - behind);
    tag.end = tag.is_cut ? text.size() : end + 1;
    return tag;
  }
  return std::nullopt;
}

std::optional<std::string> attribute(const Tag& tag, std::string_view name) {
  std::string_view text = tag.attributes;
  if (text.ends_with('/')) text.remove_suffix(1);
  std::size_t at = 0;
  while ((at = skip_space(text, at)) < text.size()) {
    const std::size_t end = std::max(at + 1, std::min(text.find_first_of(" \t\r\n\f\v=", at),
                                                      text.size()));  // At least one byte.
    const std::string_view key = text.substr(at, end - at);
    at = skip_space(text, end);
    std::string_view value;
    if (at < text.size() && text[at] == '=') {
      at = skip_space(text, at + 1);
      value = take_value(text, at);
    }
    if (equals(key, name)) return std::string(value);
  }
  return std::nullopt;
}

}  // namespace spoor::agent::reading
