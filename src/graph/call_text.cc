#include "graph/call_text.h"

#include <functional>

#include "base/json/reader.h"

namespace spoor::graph {

namespace {

std::string below(const std::string& name, std::string_view step) {
  return name.empty() ? std::string(step) : name + "." + std::string(step);
}

// Visits every string value, in order, until the visitor returns false. The reader limits depth.
bool each_text(const json::Value& value, const std::string& name,
               const std::function<bool(const std::string& name, std::string text)>& visit) {
  if (value.is_string()) return visit(name, value.text());
  if (value.is_array()) {
    std::size_t number = 0;
    for (const json::Value& element : value.elements()) {
      if (!each_text(element, below(name, std::to_string(number++)), visit)) return false;
    }
  } else if (value.is_object()) {
    for (const json::Member& member : value.members()) {
      if (!each_text(member.value, below(name, member.key.text()), visit)) return false;
    }
  }
  return true;
}

Holds holds_phrase(std::string_view phrase) {
  return [phrase](std::string_view text) { return text.find(phrase) != std::string_view::npos; };
}

bool has_escape(const ToolCall& call) { return call.arguments.find('\\') != std::string::npos; }

}  // namespace

std::vector<CallText> texts_that(const ToolCall& call, const Holds& holds) {
  std::vector<CallText> found;
  if (const auto document = json::parse(call.arguments)) {
    each_text(document.value().root(), {}, [&](const std::string& name, std::string text) {
      if (holds(text)) found.push_back({name, std::move(text)});
      return true;
    });
  }
  if (found.empty() && holds(call.arguments)) found.push_back({{}, call.arguments});
  return found;
}

bool says(const ToolCall& call, const Holds& holds) {
  if (holds(call.name) || holds(call.arguments)) return true;
  // Without an escape, the arguments contain every string unchanged.
  if (!has_escape(call)) return false;
  return !texts_that(call, holds).empty();
}

bool says(const ToolCall& call, std::string_view phrase) {
  return says(call, holds_phrase(phrase));
}

std::string plain_arguments(const ToolCall& call) {
  const std::string_view written = call.arguments;
  if (!has_escape(call) || !json::parse(written)) return call.arguments;
  std::string plain;
  std::size_t at = 0;
  for (std::size_t quote = 0; (quote = written.find('"', at)) != std::string_view::npos;) {
    const std::size_t begin = quote + 1;
    std::size_t end = begin;  // Valid JSON: every string is closed.
    while (written[end] != '"') end += written[end] == '\\' ? 2 : 1;
    plain += written.substr(at, begin - at);
    plain += json::unescape(written.substr(begin, end - begin));
    plain += '"';
    at = end + 1;
  }
  plain += written.substr(at);
  return plain;
}

}  // namespace spoor::graph
