#include "api/turns/matches.h"

#include <algorithm>

namespace spoor::api {

using compile::ToolCall;
using graph::CallText;

std::vector<Match> matches_of(std::string_view text, std::string_view needle) {
  std::vector<Match> matches;
  if (needle.empty()) return matches;
  for (std::size_t at = 0; (at = text.find(needle, at)) != std::string_view::npos;) {
    matches.push_back({at, needle.size()});
    at += needle.size();
  }
  return matches;
}

void write_matches(JsonWriter& json, std::string_view text, const std::vector<Match>& matches) {
  json.array();
  std::uint64_t line = 1;
  std::size_t seen = 0;
  for (const Match& match : matches) {
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(seen);
    const auto to = text.begin() + static_cast<std::ptrdiff_t>(match.begin);
    line += static_cast<std::uint64_t>(std::count(from, to, '\n'));
    seen = match.begin;
    const std::size_t before =
        match.begin == 0 ? std::string_view::npos : text.rfind('\n', match.begin - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', match.begin), text.size());
    json.object().member("line", line);
    json.member("offset", static_cast<std::uint64_t>(match.begin));
    json.member("bytes", static_cast<std::uint64_t>(match.size));
    json.member("text", text.substr(begin, end - begin)).end();
  }
  json.end();
}

std::vector<CallText> texts_in(const ToolCall& call, const Matcher& matcher) {
  return graph::texts_that(call,
                           [&matcher](std::string_view text) { return !matcher(text).empty(); });
}

void write_call_matches(JsonWriter& json, const std::vector<ToolCall>& calls,
                        const Matcher& matcher) {
  json.list("arguments");
  for (const ToolCall& call : calls) {
    for (const CallText& argument : texts_in(call, matcher)) {
      json.object().member("tool", call.name).member_or_null("name", argument.name);
      json.key("matches");
      write_matches(json, argument.text, matcher(argument.text));
      json.end();
    }
  }
  json.end();
}

}  // namespace spoor::api
