#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/tool.h"
#include "base/result.h"

namespace spoor::agent::project {

/// An agent that others may call, from a file with frontmatter: `name`, `description`, `tools`,
/// `model`; the body is its instructions. Source: code.claude.com/docs/en/sub-agents, as of
/// 2026-11.
struct AgentFile {
  std::string name;
  std::string description;
  std::optional<std::vector<std::string>> tools;  ///< ids; nullopt: those of the calling run
  std::string model;                              ///< as written; empty: that of the calling run
  std::string instructions;

  bool operator==(const AgentFile&) const = default;
};

constexpr std::size_t kMostAgentFile = 64 * 1024;  ///< bytes
constexpr std::size_t kMostAgents = 32;

/// Reads the files `*.md` of a folder, by name. Returns Code::not_found if the folder does not
/// exist; Code::invalid, with the file, for one without a name that can be a tool's id or without a
/// description, for one that is too long, and for two of one name.
Result<std::vector<AgentFile>> read_agent_files(const std::string& folder);

}  // namespace spoor::agent::project
