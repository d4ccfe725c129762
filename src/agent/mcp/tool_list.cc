#include "agent/mcp/tool_list.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "agent/builtin/kept_output.h"
#include "agent/mcp/http_channel.h"
#include "base/text.h"
#include "compile/turn.h"
#include "llm/schema.h"

namespace spoor::agent::mcp {
namespace {

constexpr std::size_t kMostName = 128;
constexpr std::size_t kMostHeaders = 32;
constexpr std::string_view kHeader = "x-mcp-header";

// A token of RFC 9110, section 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
         });
}

bool is_primitive(const json::Value& schema) {
  const json::Value type = schema.find("type");
  return type.equals("string") || type.equals("integer") || type.equals("boolean");
}

// The number of annotations anywhere in a schema.
std::size_t count_headers(const json::Value& value) {
  std::size_t count = 0;
  for (const json::Member member : value.members()) {
    if (member.key.equals(kHeader)) ++count;
    count += count_headers(member.value);
  }
  for (const json::Value element : value.elements()) count += count_headers(element);
  return count;
}

// Collects the annotations that a chain of `properties` leads to; false if one breaks a rule.
bool find_headers(const json::Value& schema, std::vector<std::string>& path, ServerTool& tool) {
  for (const json::Member member : schema.find("properties").members()) {
    path.push_back(member.key.text());
    if (const json::Value header = member.value.find(kHeader)) {
      const std::string name = "mcp-param-" + lowered(header.text());
      const auto is_same = [&](const auto& other) { return other.second == name; };
      if (!is_token(header.text()) || !is_primitive(member.value) ||
          std::any_of(tool.headers.begin(), tool.headers.end(), is_same)) {
        return false;
      }
      tool.headers.emplace_back(path, name);
    }
    if (!find_headers(member.value, path, tool)) return false;
    path.pop_back();
  }
  return true;
}

}  // namespace

void ToolList::add(const json::Value& tools) {
  ++pages_;
  for (const json::Value tool : tools.elements()) {
    if (tools_.size() >= kMostTools) {
      const std::string rest = fmt::format("the tools after the first {}", kMostTools);
      if (left_out_.empty() || left_out_.back() != rest) left_out_.push_back(rest);
      return;
    }
    add_one(tool);
  }
}

void ToolList::add_one(const json::Value& value) {
  ServerTool tool;
  tool.name = value.find("name").text();
  const auto leave_out = [&](std::string_view why) {
    if (left_out_.size() < kMostTools) {
      left_out_.push_back(fmt::format("'{}': {}", compile::preview(tool.name, 40), why));
    }
  };
  if (tool.name.empty() || tool.name.size() > kMostName) return leave_out("its name");
  const auto is_same = [&](const ServerTool& other) { return other.name == tool.name; };
  if (std::any_of(tools_.begin(), tools_.end(), is_same)) return leave_out("its name is taken");
  const std::string description = value.find("description").text();
  tool.description = builtin::beginning_of(description, kMostDescription);
  const json::Value input = value.find("inputSchema");
  tool.input_schema = input.raw();
  if (!input.is_object() || tool.input_schema.size() > kMostSchema ||
      !llm::Schema::parse(tool.input_schema)) {
    return leave_out("its schema cannot be used");
  }
  // Anthropic refuses a request with another schema as a whole, and the protocol demands this one.
  if (input.find("type").text() != "object" || input.find("oneOf") || input.find("anyOf") ||
      input.find("allOf")) {
    return leave_out("its schema is not of type 'object', or has alternatives at its top");
  }
  const json::Value hints = value.find("annotations");
  tool.says_read_only =
      hints.find("readOnlyHint").is_true() && !hints.find("destructiveHint").is_true();
  std::vector<std::string> path;
  const bool is_sound = find_headers(input, path, tool) && tool.headers.size() <= kMostHeaders &&
                        count_headers(input) == tool.headers.size();
  if (has_headers_ && !is_sound) return leave_out("its 'x-mcp-header'");
  if (!has_headers_) tool.headers.clear();
  tools_.push_back(std::move(tool));
}

std::vector<std::pair<std::string, std::string>> header_parameters(const ServerTool& tool,
                                                                   const json::Value& arguments) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const auto& [path, name] : tool.headers) {
    json::Value value = arguments;
    for (const std::string& key : path) value = value.find(key);
    if (!value || value.is(json::Type::null)) continue;
    headers.emplace_back(name,
                         header_value(value.is_string() ? value.text() : std::string(value.raw())));
  }
  return headers;
}

}  // namespace spoor::agent::mcp
