#include "agent/project/agent_files.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "agent/builtin/file_text.h"
#include "agent/builtin/root.h"
#include "agent/project/frontmatter.h"
#include "agent/registry.h"

namespace spoor::agent::project {
namespace {

namespace fs = std::filesystem;

Result<AgentFile> read_agent_file(const builtin::Root& root, const std::string& path) {
  const Descriptor file = TRY(root.file(path));
  const std::string bytes = TRY(builtin::read_bytes(
      file, kMostAgentFile + 1, builtin::Deadline({}, std::chrono::milliseconds(0))));
  if (bytes.size() > kMostAgentFile) {
    return invalid(fmt::format("'{}' is longer than {} bytes", path, kMostAgentFile));
  }
  const Frontmatter matter = parse_frontmatter(bytes);
  AgentFile agent{.name = matter.text("name"),
                  .description = matter.text("description"),
                  .tools = matter.list("tools"),
                  .model = matter.text("model"),
                  .instructions = matter.body};
  if (agent.model == "inherit") agent.model.clear();
  if (!is_tool_id(agent.name) || agent.description.empty()) {
    return invalid(fmt::format("'{}' does not describe an agent", path),
                   "it begins with a line ---, then 'name: …' and 'description: …', then ---");
  }
  return agent;
}

}  // namespace

Result<std::vector<AgentFile>> read_agent_files(const std::string& folder) {
  const builtin::Root root = TRY(builtin::Root::open(folder));
  std::error_code problem;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().filename().string());
  }
  if (problem) return io_error(fmt::format("cannot read '{}': {}", folder, problem.message()));
  if (names.size() > kMostAgents) {
    return invalid(fmt::format("'{}' has more than {} agents", folder, kMostAgents));
  }
  std::sort(names.begin(), names.end());
  std::vector<AgentFile> agents;
  for (const std::string& name : names) {
    AgentFile agent = TRY(read_agent_file(root, name));
    const auto is_same = [&](const AgentFile& other) { return other.name == agent.name; };
    if (std::any_of(agents.begin(), agents.end(), is_same)) {
      return invalid(fmt::format("two files of '{}' describe '{}'", folder, agent.name));
    }
    agents.push_back(std::move(agent));
  }
  return agents;
}

}  // namespace spoor::agent::project
