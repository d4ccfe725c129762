#include "agent/project/frontmatter.h"

#include <utility>

namespace spoor::agent::project {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Removes quotes, with the escapes of '...' and the common ones of "...", or a comment.
std::string scalar(std::string_view text) {
  text = trimmed(text);
  std::string out;
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) ++i;
      out += text[i];
    }
    return out;
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] != '\\' || i + 2 >= text.size()) {
        out += text[i];
        continue;
      }
      ++i;
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    }
    return out;
  }
  if (const std::size_t comment = text.find(" #"); comment != std::string_view::npos) {
    text = trimmed(text.substr(0, comment));
  }
  return std::string(text);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (std::string part = scalar(text.substr(0, end)); !part.empty()) {
      parts.push_back(std::move(part));
    }
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// Reads the lines of a text after `|` or `>`, which are indented.
std::string block(std::string_view& rest, bool is_folded) {
  std::string text;
  std::size_t indent = 0;
  while (!rest.empty()) {
    std::string_view after = rest;
    const std::string_view line = take_line(after);
    const bool is_blank = trimmed(line).empty();
    if (!is_blank && indent == 0) indent = indent_of(line);
    if (!is_blank && (indent == 0 || indent_of(line) < indent)) break;
    const bool is_new_line = !is_folded || is_blank;
    if (is_new_line && !text.empty()) text += '\n';
    if (!is_new_line && !text.empty() && text.back() != '\n') text += ' ';
    if (!is_blank) text += line.substr(indent);
    rest = after;
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Reads the `- value` lines of a list.
std::vector<std::string> items(std::string_view& rest) {
  std::vector<std::string> list;
  while (!rest.empty()) {
    std::string_view after = rest;
    const std::string_view line = trimmed(take_line(after));
    if (!line.starts_with("- ")) break;
    list.push_back(scalar(line.substr(2)));
    rest = after;
  }
  return list;
}

std::vector<std::string> value_of(std::string_view value, std::string_view& rest) {
  if (value.empty()) return items(rest);
  if (value.front() == '|' || value.front() == '>') return {block(rest, value.front() == '>')};
  if (value.front() == '[' && value.back() == ']') {
    return split(value.substr(1, value.size() - 2));
  }
  return {scalar(value)};
}

}  // namespace

std::string Frontmatter::text(const std::string& key) const {
  const auto found = fields.find(key);
  return found == fields.end() || found->second.empty() ? "" : found->second.front();
}

std::optional<std::vector<std::string>> Frontmatter::list(const std::string& key) const {
  const auto found = fields.find(key);
  if (found == fields.end()) return std::nullopt;
  return found->second.size() == 1 ? split(found->second.front()) : found->second;
}

Frontmatter parse_frontmatter(std::string_view file) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (file.starts_with(kMark)) file.remove_prefix(kMark.size());
  Frontmatter read;
  std::string_view rest = file;
  if (trimmed(take_line(rest)) != "---") {
    read.body = file;
    return read;
  }
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (trimmed(line) == "---") {
      read.body = rest.substr(std::min(rest.find_first_not_of("\r\n"), rest.size()));
      return read;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || indent_of(line) > 0 || line.starts_with('#')) continue;
    read.fields.insert_or_assign(std::string(trimmed(line.substr(0, colon))),
                                 value_of(trimmed(line.substr(colon + 1)), rest));
  }
  return {.fields = {}, .body = std::string(file)};  // The fields have no end.
}

}  // namespace spoor::agent::project
