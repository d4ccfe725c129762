// All of toml++ is compiled here.
#define TOML_IMPLEMENTATION
#include "base/toml_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace spoor {

namespace {

// Past the string or the remark that begins at `at`; where it has no end, past the text.
std::size_t past_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '#') return std::min(text.find('\n', at), text.size());
  const std::string three(3, quote);
  const bool is_long = text.substr(at).starts_with(three);
  const std::string_view end = std::string_view(three).substr(0, is_long ? 3 : 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(end)) return at + end.size();
    if (!is_long && text[at] == '\n') return at;
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return text.size();
}

struct Misplaced {
  std::size_t at = 0;
  std::string_view problem;
};

// Does a table's name follow the bracket at `at`, or nothing that is for the parser to name?
bool has_name(std::string_view text, std::size_t at) {
  ++at;
  if (text.substr(at).starts_with('[')) ++at;
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  if (at == text.size() || static_cast<unsigned char>(text[at]) >= 0x80) return true;
  const char c = text[at];
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') ||
         std::string_view("-_\"']").find(c) != std::string_view::npos;
}

// What TOML forbids and toml++ 3.3 does not look for where it relies on it: a letter beyond ASCII
// that no quotes are around, and a table without a name. As far as the quotes are in order; else it
// is for the parser.
std::optional<Misplaced> misplaced(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'#";
  bool begins_line = true;
  int depth = 0;  // The brackets around.
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      return Misplaced{at, "a non-ASCII character outside of quotes"};
    }
    if (begins_line && depth == 0 && c == '[' && !has_name(text, at)) {
      return Misplaced{at, "a table without a name"};
    }
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    begins_line = c == '\n' || (begins_line && (c == ' ' || c == '\t' || c == '\r'));
    at = kQuotes.find(c) == std::string_view::npos ? at + 1 : past_quoted(text, at);
  }
  return std::nullopt;
}

}  // namespace

Result<toml::table> TomlValues::parse(std::string_view text, std::size_t most) const {
  if (text.size() > most) {
    return invalid(fmt::format("{} is larger than {} KiB", file_, most >> 10U), std::string(hint_));
  }
  if (!is_utf8(text)) {
    return invalid(fmt::format("{} is not UTF-8", file_), "save the file as UTF-8");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto found = misplaced(text)) {
    const std::string_view before = text.substr(0, found->at);
    const std::string_view line = before.substr(before.rfind('\n') + 1);
    return not_toml(1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
                    1 + count_code_points(line), found->problem);
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const toml::source_position at = error.source().begin;
    return not_toml(at.line, at.column, error.description());
  }
  return std::move(parsed).table();
}

Error TomlValues::not_toml(std::size_t line, std::size_t column, std::string_view problem) const {
  return invalid(fmt::format("{}:{}:{}: {}", file_, line, column, problem), std::string(hint_));
}

Error TomlValues::wrong(const toml::node& node, std::string_view problem) const {
  return invalid(fmt::format("{}:{}: {}", file_, node.source().begin.line, problem),
                 std::string(hint_));
}

Error TomlValues::unknown(const toml::node& node, std::string_view name) const {
  return wrong(node, fmt::format("unknown key '{}'", name));
}

Result<bool> TomlValues::truth(const toml::node& node, std::string_view name) const {
  const auto* value = node.as_boolean();
  if (value == nullptr) return wrong(node, fmt::format("'{}' is neither true nor false", name));
  return value->get();
}

Result<std::int64_t> TomlValues::whole(const toml::node& node, std::string_view name,
                                       std::int64_t least, std::int64_t most) const {
  const auto* value = node.as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    return wrong(node, fmt::format("'{}' is not a whole number from {} to {}", name, least, most));
  }
  return value->get();
}

Result<std::string> TomlValues::text(const toml::node& node, std::string_view name) const {
  const auto* value = node.as_string();
  if (value == nullptr) return wrong(node, fmt::format("'{}' is not a string", name));
  if (!is_utf8(value->get()) || value->get().find('\0') != std::string::npos) {
    return wrong(node, fmt::format("'{}' contains bytes that are not text", name));
  }
  return value->get();
}

Result<std::vector<std::string>> TomlValues::texts(const toml::node& node,
                                                   std::string_view name) const {
  const auto* list = node.as_array();
  if (list == nullptr) return wrong(node, fmt::format("'{}' is not a list of strings", name));
  std::vector<std::string> all;
  for (const toml::node& each : *list) {
    all.push_back(TRY(text(each, name)));
    if (all.back().empty()) return wrong(each, fmt::format("'{}' contains an empty string", name));
  }
  return all;
}

}  // namespace spoor
