#pragma once

#include <deque>
#include <string_view>

#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent {

/// The tools that there are, in the order they were added. Add all before the first run; reading is
/// safe from any thread then. Tools stay where they are as long as the registry lives.
class Registry {
 public:
  /// Code::invalid for a tool without a fit id, without `run`, or whose parameters are no schema of
  /// an object; Code::conflict when its id is taken.
  Result<void> add(Tool tool);

  /// Null when there is none.
  const Tool* find(std::string_view id) const;

  const std::deque<Tool>& tools() const { return tools_; }

 private:
  std::deque<Tool> tools_;  // A deque: what was handed out stays where it is.
};

/// Letters, digits, `_`, `-` and `.`, 1 to 64 of them.
bool is_tool_id(std::string_view id);

}  // namespace spoor::agent
