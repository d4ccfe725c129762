#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/memory/memory.h"
#include "agent/tool.h"

namespace spoor::agent::memory {

struct ToolOptions {
  std::string agent;  ///< the owner of the private memory; empty: shared memory only
};

/// Makes the tools `memory.learn` {content, topic?, scope?, confidence?, private?} and
/// `memory.recall` {context?, topic?, scope?, limit?}; and, for one run alone, `notes.add` {text}
/// and `notes.read`, whose notes are on `refs/memory/private/run-RUN`. The repository must outlive
/// them.
std::vector<Tool> make_tools(graph::Repository& repository, const ToolOptions& options);

bool is_memory_tool(std::string_view name);

}  // namespace spoor::agent::memory
