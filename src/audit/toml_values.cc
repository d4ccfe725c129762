#include "audit/toml_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "store/utf8.h"

namespace spoor::audit {

using store::Result;

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

// Where a letter beyond ASCII stands that no quotes are around, which TOML forbids: toml++ 3.3 does
// not see that everywhere. As far as the quotes are in order; else it is for the parser.
std::optional<std::size_t> bare_letter(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'#";
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) return at;
    at = kQuotes.find(text[at]) == std::string_view::npos ? at + 1 : past_quoted(text, at);
  }
  return std::nullopt;
}

}  // namespace

Result<toml::table> TomlValues::parse(std::string_view text, std::size_t most) const {
  if (text.size() > most) {
    return store::invalid(fmt::format("{} is larger than a file of rules may be", file_));
  }
  if (!store::is_utf8(text)) return store::invalid(fmt::format("{} is no UTF-8", file_));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto at = bare_letter(text)) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n');
    return store::invalid(
        fmt::format("{}:{}: a letter beyond ASCII without quotes around it", file_, line),
        std::string(hint_));
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return store::invalid(
        fmt::format("{}:{}: {}", file_, error.source().begin.line, error.description()),
        std::string(hint_));
  }
  return std::move(parsed).table();
}

store::Error TomlValues::wrong(const toml::node& node, std::string_view problem) const {
  return store::invalid(fmt::format("{}:{}: {}", file_, node.source().begin.line, problem),
                        std::string(hint_));
}

store::Error TomlValues::unknown(const toml::node& node, std::string_view name) const {
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
  if (!store::is_utf8(value->get()) || value->get().find('\0') != std::string::npos) {
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

}  // namespace spoor::audit
