#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace spoor::agent::project {

/// The instructions to agents in the files AGENTS.md of a project. Source: agents.md.
struct AgentsMd {
  std::string text;                ///< for the system prompt: each file after a line with its path
  std::vector<std::string> paths;  ///< the files in it, absolute, the outermost first
  bool is_cut = false;             ///< they are longer than kMostAgentsMd
};

constexpr std::size_t kMostAgentsMd = 32 * 1024;  ///< bytes, of all files together

/// Reads AGENTS.md of `root`, an absolute path of a folder, and of the folders above it up to that
/// with `.git`, if there is one; the nearest comes last. Names those of folders below, which a
/// model may read itself. A link that leads out of the outermost folder is not followed. Returns
/// Code::io.
Result<AgentsMd> read_agents_md(const std::string& root);

}  // namespace spoor::agent::project
