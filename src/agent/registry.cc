#include "agent/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "llm/schema.h"

namespace spoor::agent {
namespace {

constexpr std::size_t kMaxId = 64;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

bool is_tool_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxId && std::all_of(id.begin(), id.end(), is_id_character);
}

Result<void> Registry::add(Tool tool) {
  if (!is_tool_id(tool.id)) {
    return invalid(fmt::format("'{}' is no id of a tool", tool.id),
                   "use letters, digits, '_', '-' and '.', 64 at most");
  }
  if (!tool.run) return invalid(fmt::format("the tool '{}' does nothing", tool.id));
  if (find(tool.id) != nullptr) {
    return conflict(fmt::format("there is a tool '{}' already", tool.id),
                    "give this one another id");
  }
  if (!tool.parameters.empty()) {
    const auto schema = llm::Schema::parse(tool.parameters);
    if (!schema || !schema->root().is_object()) {
      return invalid(fmt::format("the parameters of '{}' are no JSON Schema of an object", tool.id),
                     schema ? "" : schema.error().message);
    }
  }
  tools_.push_back(std::move(tool));
  return {};
}

const Tool* Registry::find(std::string_view id) const {
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [&](const Tool& tool) { return tool.id == id; });
  return found == tools_.end() ? nullptr : &*found;
}

}  // namespace spoor::agent
