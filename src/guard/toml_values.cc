#include "guard/toml_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace spoor::guard {

namespace {

// Returns the position after the string or comment that begins at `at`; if it has no end, the end
// of the text.
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

// Returns true if a table's name follows the bracket at `at`, or an error that the parser reports.
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

// Finds two errors that toml++ 3.3 relies on without checking: a letter beyond ASCII outside
// quotes, and a table without a name. Works as far as quotes are balanced; otherwise the parser
// reports the error.
std::optional<Misplaced> misplaced(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'#";
  bool begins_line = true;
  int depth = 0;  // Number of the enclosing brackets.
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      return Misplaced{at, "a letter beyond ASCII without quotes around it"};
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
    return invalid(fmt::format("{} is larger than a file of rules may be", file_));
  }
  if (!is_utf8(text)) return invalid(fmt::format("{} is no UTF-8", file_));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto found = misplaced(text)) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found->at), '\n');
    return invalid(fmt::format("{}:{}: {}", file_, line, found->problem), std::string(hint_));
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return invalid(fmt::format("{}:{}: {}", file_, error.source().begin.line, error.description()),
                   std::string(hint_));
  }
  return std::move(parsed).table();
}

Error TomlValues::wrong(const toml::node& node, std::string_view problem) const {
  return invalid(fmt::format("{}:{}: {}", file_, node.source().begin.line, problem),
                 std::string(hint_));
}

Error TomlValues::unknown(const toml::node& node, std::string_view name) const {
  return wrong(node, fmt::format("there is no member '{}' here", name));
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
    return wrong(node, fmt::format("'{}' is no number from {} to {}", name, least, most));
  }
  return value->get();
}

Result<std::string> TomlValues::text(const toml::node& node, std::string_view name) const {
  const auto* value = node.as_string();
  if (value == nullptr) return wrong(node, fmt::format("'{}' is no text", name));
  if (!is_utf8(value->get()) || value->get().find('\0') != std::string::npos) {
    return wrong(node, fmt::format("'{}' has bytes that are no text", name));
  }
  return value->get();
}

Result<std::vector<std::string>> TomlValues::texts(const toml::node& node,
                                                   std::string_view name) const {
  const auto* list = node.as_array();
  if (list == nullptr) return wrong(node, fmt::format("'{}' is no list of texts", name));
  std::vector<std::string> all;
  for (const toml::node& each : *list) {
    all.push_back(TRY(text(each, name)));
    if (all.back().empty()) return wrong(each, fmt::format("an empty text in '{}'", name));
  }
  return all;
}

}  // namespace spoor::guard
