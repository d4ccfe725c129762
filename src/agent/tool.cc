#include "agent/tool.h"

#include <utility>

namespace spoor::agent {

ToolResult gave(std::string text) { return {.text = std::move(text), .facts = {}, .attach = {}}; }

ToolResult gave_json(std::string json) {
  return {.text = std::move(json), .is_json = true, .facts = {}, .attach = {}};
}

ToolResult failed(std::string why) {
  return {.text = std::move(why), .is_error = true, .facts = {}, .attach = {}};
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
