#include "import/agent_folders.h"

#include <algorithm>
#include <utility>

#include "import/source.h"

namespace spoor::import {

std::string path_of(const AgentPath& path, const std::string& home, const ReadVariable& variable) {
  const auto moved = path.variable[0] != '\0' ? variable(path.variable) : std::nullopt;
  if (moved && !moved->empty()) {
    return path.in_variable[0] == '\0' ? *moved : *moved + "/" + path.in_variable;
  }
  return home.empty() ? std::string() : home + "/" + path.in_home;
}

std::vector<FoundFolder> find_agent_folders(const std::string& home, const ReadVariable& variable) {
  std::vector<FoundFolder> found;
  for (const KnownAgent& agent : known_agents()) {
    for (const AgentPath& each : agent.folders) {
      FoundFolder folder{.agent = std::string(agent.title), .path = path_of(each, home, variable)};
      const bool is_known =
          std::ranges::find(found, folder.path, &FoundFolder::path) != found.end();
      if (is_known || folder.path.empty()) continue;
      auto files = session_files(folder.path, &folder.unreadable);
      if (files) {
        folder.files = std::move(files).value();
      } else if (files.error().code == Error::Code::io) {
        folder.unreadable.push_back(folder.path);
      }
      if (folder.files.empty() && folder.unreadable.empty()) continue;
      found.push_back(std::move(folder));
    }
  }
  return found;
}

}  // namespace spoor::import
