#pragma once

#include <deque>
#include <string_view>

#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent {

/// The registered tools, in the order in which they were added. Add all before the first run; then
/// reading is thread-safe. Pointers to tools are valid as long as the registry.
class Registry {
 public:
  /// Returns Code::invalid if the tool's id is malformed, `run` is empty, or the parameters are not
  /// the schema of an object; Code::conflict if the id is taken.
  Result<void> add(Tool tool);

  /// Returns null if there is none.
  const Tool* find(std::string_view id) const;

  const std::deque<Tool>& tools() const { return tools_; }

 private:
  std::deque<Tool> tools_;  // A deque, so that pointers to tools stay valid.
};

/// Reports whether `id` is 1 to 64 letters, digits, `_`, `-` and `.`.
bool is_tool_id(std::string_view id);

}  // namespace spoor::agent
