#include "llm/tool_spec.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "base/text.h"

namespace spoor::llm {
namespace {

using json::Object;

constexpr std::string_view kNoParameters = R"({"type":"object","properties":{}})";

Result<std::string> schema_of(const ToolSpec& tool) {
  if (tool.parameters.empty()) return std::string(kNoParameters);
  const auto document = json::parse(tool.parameters);
  if (!document || !document.value().root().is_object()) {
    return invalid(fmt::format("the parameters of the tool '{}' are not a JSON object{}", tool.name,
                               document ? "" : ": " + document.error().message),
                   R"(write a JSON Schema, such as {"type":"object","properties":{}})");
  }
  std::string out;
  json::append_compact(out, document.value().root());
  return out;
}

// Returns the wire's name for the member with the schema.
std::string_view schema_key(Wire wire) {
  switch (wire) {
    case Wire::anthropic:
      return "input_schema";
    case Wire::gemini:
      return "parametersJsonSchema";
    case Wire::openai_chat:
    case Wire::openai_responses:
    case Wire::ollama:
      break;
  }
  return "parameters";
}

Result<std::string> write_tool(Wire wire, const ToolSpec& tool) {
  Object object;
  object.add_string("name", tool.name);
  if (!tool.description.empty()) object.add_string("description", tool.description);
  // Gemini accepts a function without parameters, but rejects a schema without properties.
  const bool leaves_out = wire == Wire::gemini && tool.parameters.empty();
  if (!leaves_out) object.add_json(schema_key(wire), TRY(schema_of(tool)));
  if (wire == Wire::anthropic || wire == Wire::gemini) return object.write();

  if (wire == Wire::openai_responses) {
    object.add_string("type", "function");
    object.add_boolean("strict", false);
    return object.write();
  }
  Object outer;
  outer.add_string("type", "function");
  outer.add_json("function", object.write());
  return outer.write();
}

using Once = std::set<std::string_view>;

// Adds the tools of a list, and those of the groups in it.
void add_declared(const json::Value& tools, Once& known, std::vector<json::Value>& all) {
  for (const json::Value tool : tools.elements()) {
    json::Value group;
    for (const char* key : {"functionDeclarations", "function_declarations", "tools"}) {
      if (const json::Value found = tool.find(key); found.is_array()) group = found;
    }
    if (group) {
      add_declared(group, known, all);
    } else if (known.insert(tool.raw()).second) {
      all.push_back(tool);
    }
  }
}

// Writes a schema with its types in lower case.
void append_lowered(std::string& out, const json::Value& schema) {
  std::string_view comma;
  if (schema.is_array()) {
    out += '[';
    for (const json::Value each : schema.elements()) {
      out += std::exchange(comma, ",");
      append_lowered(out, each);
    }
    out += ']';
  } else if (schema.is_object()) {
    out += '{';
    for (const json::Member member : schema.members()) {
      out.append(std::exchange(comma, ",")).append(member.key.raw()).append(":");
      if (member.value.is_string() && member.key.equals("type")) {
        json::append_string(out, lowered(member.value.text()));
      } else {
        append_lowered(out, member.value);
      }
    }
    out += '}';
  } else {
    json::append_compact(out, schema);
  }
}

bool is_upper(const json::Value& type) {
  const std::string text = type.text();
  return !text.empty() && lowered(text) != text;
}

}  // namespace

Result<std::string> tools_json(Wire wire, std::span<const ToolSpec> tools) {
  std::set<std::string_view> names;
  std::vector<std::string> written;
  for (const ToolSpec& tool : tools) {
    if (tool.name.empty()) return invalid("a tool has no name", "give each tool a name");
    if (!names.insert(tool.name).second) {
      return invalid(fmt::format("two tools are named '{}'", tool.name),
                     "give each tool a name of its own");
    }
    written.push_back(TRY(write_tool(wire, tool)));
  }
  if (wire != Wire::gemini || written.empty()) return json::write_array(written);
  Object declarations;
  declarations.add_json("functionDeclarations", json::write_array(written));
  return json::write_array({declarations.write()});
}

std::vector<json::Value> declared_tools(const json::Value& request) {
  Once known;
  std::vector<json::Value> all;
  add_declared(request.is_array() ? request : request.find("tools"), known, all);
  for (const json::Value item : request.find("input").elements()) {
    if (item.find("type").equals("additional_tools")) add_declared(item.find("tools"), known, all);
  }
  return all;
}

std::optional<ToolSpec> read_tool(const json::Value& declared) {
  json::Value from = declared;
  for (const char* key : {"function", "custom"}) {
    if (const json::Value inner = declared.find(key); inner.is_object()) from = inner;
  }
  ToolSpec tool{.name = from.find("name").text(),
                .description = from.find("description").text(),
                .parameters = {}};
  for (const char* key :
       {"parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"}) {
    const json::Value schema = from.find(key);
    if (!schema.is_object() || !tool.parameters.empty()) continue;
    if (is_upper(schema.find("type"))) {
      append_lowered(tool.parameters, schema);
    } else {
      json::append_compact(tool.parameters, schema);
    }
  }
  const json::Value type = declared.find("type");
  const bool is_own = type && !type.equals("function") && !type.equals("custom");
  if (tool.name.empty() || (is_own && tool.parameters.empty())) return std::nullopt;
  return tool;
}

}  // namespace spoor::llm
