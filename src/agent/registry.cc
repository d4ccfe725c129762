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
    return invalid(fmt::format("'{}' is not a tool id", tool.id),
                   "use at most 64 letters, digits, '_', '-' and '.'");
  }
  if (!tool.run) return invalid(fmt::format("the tool '{}' has no function", tool.id));
  if (find(tool.id) != nullptr) {
    return conflict(fmt::format("the tool '{}' already exists", tool.id), "choose another id");
  }
  if (!tool.parameters.empty()) {
    const auto schema = llm::Schema::parse(tool.parameters);
    if (!schema || !schema->root().is_object()) {
      return invalid(
          fmt::format("the parameters of '{}' are not a JSON Schema of an object", tool.id),
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
