#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "import/known_agents.h"

namespace spoor::import {

/// Reads a variable of the environment.
using ReadVariable = std::function<std::optional<std::string>(const char*)>;

/// Returns where a folder or file of an agent is; empty if there is neither a variable nor a home
/// folder.
std::string path_of(const AgentPath& path, const std::string& home, const ReadVariable& variable);

/// A folder that exists, and its session files.
struct FoundFolder {
  std::string agent;  ///< its title
  std::string path;
  std::vector<std::string> files;
  std::vector<std::string> unreadable;  ///< folders without read permission: itself, or below it
};

/// Returns the agents' folders that contain session files or unreadable folders. If `home` is
/// empty, only folders that a variable names are found.
std::vector<FoundFolder> find_agent_folders(const std::string& home, const ReadVariable& variable);

}  // namespace spoor::import
