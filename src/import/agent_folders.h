#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spoor::import {

/// Where an agent keeps the sessions of a user.
struct AgentFolder {
  const char* agent;        ///< its maker's name of it
  const char* variable;     ///< an environment variable that moves the agent's folder; may be empty
  const char* in_variable;  ///< the folder of sessions below the variable's
  const char* in_home;      ///< the same below the home folder, where the variable is not set
};

/// Returns the folders of the agents whose sessions are read, as their makers document them.
std::span<const AgentFolder> agent_folders();

/// A folder that is there, with its session files.
struct FoundFolder {
  std::string agent;
  std::string path;
  std::vector<std::string> files;
  std::vector<std::string> unreadable;  ///< folders below it that may not be read
};

/// Returns the folders of agents that hold session files. `variable` reads the environment; an
/// empty `home` finds those that a variable names. Folders that cannot be read are left out.
std::vector<FoundFolder> find_agent_folders(
    const std::string& home,
    const std::function<std::optional<std::string>(const char*)>& variable);

}  // namespace spoor::import
