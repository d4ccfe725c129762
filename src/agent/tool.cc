#include "agent/tool.h"

#include <utility>

#include "base/json/writer.h"

namespace spoor::agent {

ToolResult gave(std::string text) { return {.text = std::move(text), .facts = {}, .attach = {}}; }

ToolResult gave_json(std::string json) {
  return {.text = std::move(json), .is_json = true, .facts = {}, .attach = {}};
}

ToolResult failed(std::string why) {
  return {.text = std::move(why), .is_error = true, .facts = {}, .attach = {}};
}

std::string write_definition(const ToolDefinition& definition) {
  json::Object object;
  object.add_string("id", definition.id);
  object.add_string("description", definition.description);
  // As text: the members of a schema keep their order, which is what the model was shown.
  object.add_string("parameters", definition.parameters);
  if (definition.read_only) object.add_boolean("read_only", true);
  return object.write();
}

ToolDefinition read_definition(const json::Value& object) {
  return {.id = object.find("id").text(),
          .description = object.find("description").text(),
          .parameters = object.find("parameters").text(),
          .read_only = object.find("read_only").is_true()};
}

Tool make_tool(const ToolDefinition& definition, Tool::Run run) {
  Tool tool;
  tool.id = definition.id;
  tool.description = definition.description;
  tool.parameters = definition.parameters;
  tool.read_only = definition.read_only;
  tool.run = std::move(run);
  return tool;
}

}  // namespace spoor::agent
