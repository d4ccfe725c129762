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

}  // namespace spoor::agent
