#include "llm/tool_spec.h"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/json/writer.h"

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

void add_declared(const json::Value& tools, std::vector<json::Value>& all) {
  for (const json::Value tool : tools.elements()) {
    const json::Value declarations = tool.find("functionDeclarations");
    if (!declarations) all.push_back(tool);
    for (const json::Value one : declarations.elements()) all.push_back(one);
  }
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
  std::vector<json::Value> all;
  add_declared(request.is_array() ? request : request.find("tools"), all);
  for (const json::Value item : request.find("input").elements()) {
    if (item.find("type").equals("additional_tools")) add_declared(item.find("tools"), all);
  }
  return all;
}

ToolSpec read_tool(const json::Value& declared) {
  const json::Value function = declared.find("function");
  const json::Value from = function.is_object() ? function : declared;
  ToolSpec tool;
  tool.name = from.find("name").text();
  if (tool.name.empty()) tool.name = declared.find("type").text();
  tool.description = from.find("description").text();
  for (const char* key : {"parameters", "input_schema", "parametersJsonSchema"}) {
    const json::Value schema = from.find(key);
    if (!schema.is_object() || !tool.parameters.empty()) continue;
    json::append_compact(tool.parameters, schema);
  }
  return tool;
}

}  // namespace spoor::llm
