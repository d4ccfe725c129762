#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spoor::import {

/// The folder where an agent keeps a user's sessions.
struct AgentFolder {
  const char* agent;        ///< the agent's name, as its maker writes it
  const char* variable;     ///< environment variable that moves the agent's folder; may be empty
  const char* in_variable;  ///< folder of sessions, relative to the variable's value
  const char* in_home;      ///< the same, relative to the home folder, if the variable is not set
};

/// Returns the session folders of all supported agents, as their makers document them.
std::span<const AgentFolder> agent_folders();

/// A folder that exists, and its session files.
struct FoundFolder {
  std::string agent;
  std::string path;
  std::vector<std::string> files;
  std::vector<std::string> unreadable;  ///< folders without read permission: itself, or below it
};

/// Returns the agents' folders that contain session files or unreadable folders. `variable` reads
/// the environment. If `home` is empty, only folders that a variable names are found.
std::vector<FoundFolder> find_agent_folders(
    const std::string& home,
    const std::function<std::optional<std::string>(const char*)>& variable);

}  // namespace spoor::import
