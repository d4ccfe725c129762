#include "cli/agents/extra_tools.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/project/skills.h"
#include "agent/registry.h"

namespace spoor::cli {
namespace {

using agent::ToolDefinition;
using agent::builtin::ToolCommand;
using agent::project::AgentFile;

bool is_path(const std::string& program) { return program.find('/') != std::string::npos; }

Result<ToolCommand> read_command(const Session& session, const std::string& given) {
  const std::size_t equals = given.find('=');
  const std::string name = given.substr(0, equals);
  if (equals == std::string::npos || !agent::is_tool_id(name) || equals + 1 == given.size()) {
    return invalid(fmt::format("--tool-command '{}' is not NAME=PROGRAM", given),
                   "write --tool-command look=./tools/look");
  }
  std::string program = given.substr(equals + 1);
  if (is_path(program) && program.front() != '/') {
    program = session.environment().directory() + '/' + program;
  }
  return ToolCommand{name, program};
}

bool is_of(const McpServer& server, const std::string& tool) {
  return tool.size() > server.name.size() + 1 && tool.starts_with(server.name) &&
         tool[server.name.size()] == '.';
}

// Keeps the tools of a server that were chosen, if any were.
Result<std::vector<ToolDefinition>> choose(const McpServer& server,
                                           const std::vector<std::string>& chosen,
                                           std::vector<ToolDefinition> all) {
  std::vector<ToolDefinition> some;
  std::string known;
  for (const ToolDefinition& one : all) known += (known.empty() ? "" : ", ") + one.id;
  bool is_any = false;
  for (const std::string& name : chosen) {
    if (!is_of(server, name)) continue;
    is_any = true;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ToolDefinition& one) { return one.id == name; });
    if (found == all.end()) {
      return not_found(fmt::format("the server '{}' has no tool '{}'", server.name, name),
                       "it has " + (known.empty() ? "none" : known));
    }
    some.push_back(std::move(*found));
  }
  return is_any ? std::move(some) : std::move(all);
}

std::string write_agent(const AgentFile& agent) {
  json::Object object;
  object.add_string("name", agent.name);
  object.add_string("description", agent.description);
  if (agent.tools) object.add_json("tools", json::write_strings(*agent.tools));
  if (!agent.model.empty()) object.add_string("model", agent.model);
  object.add_string("instructions", agent.instructions);
  return object.write();
}

AgentFile parse_agent(const json::Value& object) {
  AgentFile agent{.name = object.find("name").text(),
                  .description = object.find("description").text(),
                  .tools = std::nullopt,
                  .model = object.find("model").text(),
                  .instructions = object.find("instructions").text()};
  if (const json::Value tools = object.find("tools")) {
    agent.tools.emplace();
    for (const json::Value tool : tools.elements()) agent.tools->push_back(tool.text());
  }
  return agent;
}

// Makes `read_skill`, if there are skills.
Result<void> add_skills(ExtraTools& tools, bool is_new, std::vector<agent::Tool>& made) {
  std::vector<agent::project::Skill> skills;
  for (const std::string& folder : tools.skills) {
    for (auto& skill : TRY(agent::project::find_skills(folder))) skills.push_back(std::move(skill));
  }
  if (skills.empty()) return {};
  if (is_new) tools.defined.push_back(agent::project::skills_definition(skills));
  const ToolDefinition now = agent::project::skills_definition(skills);
  for (const ToolDefinition& told : tools.defined) {
    if (told.id == now.id) made.push_back(agent::project::make_skills_tool(skills, told));
  }
  return {};
}

const ToolDefinition* find(const ExtraTools& tools, const std::string& id) {
  const auto found = std::find_if(tools.defined.begin(), tools.defined.end(),
                                  [&](const ToolDefinition& one) { return one.id == id; });
  return found == tools.defined.end() ? nullptr : &*found;
}

}  // namespace

Result<ExtraTools> read_extra_tools(const Session& session, const Arguments& arguments,
                                    std::vector<std::string>& names) {
  ExtraTools tools;
  for (const std::string& given : arguments.all(kToolCommand.name)) {
    tools.commands.push_back(TRY(read_command(session, given)));
  }
  tools.servers = TRY(read_mcp_flags(arguments));
  const auto absolute = [&](const std::string& path) {
    return path.starts_with('/') ? path : session.environment().directory() + '/' + path;
  };
  for (const std::string& folder : arguments.all(kSkills.name)) {
    tools.skills.push_back(absolute(folder));
  }
  for (const std::string& folder : arguments.all(kAgents.name)) {
    for (AgentFile& agent : TRY(agent::project::read_agent_files(absolute(folder)))) {
      tools.agents.push_back(std::move(agent));
    }
  }
  const auto rest = std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return std::none_of(tools.servers.begin(), tools.servers.end(),
                        [&](const McpServer& server) { return is_of(server, name); });
  });
  tools.chosen.assign(rest, names.end());
  names.erase(rest, names.end());
  return tools;
}

void write_extra_tools(json::Object& object, const ExtraTools& tools) {
  std::vector<std::string> commands;
  for (const ToolCommand& command : tools.commands) {
    json::Object one;
    one.add_string("name", command.name);
    one.add_string("program", command.program);
    commands.push_back(one.write());
  }
  if (!commands.empty()) object.add_json("commands", json::write_array(commands));
  if (!tools.servers.empty()) object.add_json("servers", write_mcp_servers(tools.servers));
  if (!tools.skills.empty()) object.add_json("skills", json::write_strings(tools.skills));
  std::vector<std::string> agents;
  for (const AgentFile& agent : tools.agents) agents.push_back(write_agent(agent));
  if (!agents.empty()) object.add_json("agents", json::write_array(agents));
  std::vector<std::string> defined;
  for (const ToolDefinition& definition : tools.defined) {
    defined.push_back(agent::write_definition(definition));
  }
  if (!defined.empty()) object.add_json("defined", json::write_array(defined));
}

ExtraTools parse_extra_tools(const json::Value& object) {
  ExtraTools tools;
  for (const json::Value command : object.find("commands").elements()) {
    tools.commands.push_back({command.find("name").text(), command.find("program").text()});
  }
  tools.servers = parse_mcp_servers(object.find("servers"));
  for (const json::Value folder : object.find("skills").elements()) {
    tools.skills.push_back(folder.text());
  }
  for (const json::Value agent : object.find("agents").elements()) {
    tools.agents.push_back(parse_agent(agent));
  }
  for (const json::Value one : object.find("defined").elements()) {
    tools.defined.push_back(agent::read_definition(one));
  }
  return tools;
}

void map_paths(ExtraTools& tools, const std::function<std::string(const std::string&)>& map) {
  for (std::string& folder : tools.skills) folder = map(folder);
  for (ToolCommand& command : tools.commands) {
    if (!is_path(command.program)) continue;
    command.program = map(command.program);
    if (!is_path(command.program)) command.program.insert(0, "./");
  }
}

std::vector<std::string> program_files(const ExtraTools& tools) {
  std::vector<std::string> files;
  for (const ToolCommand& command : tools.commands) {
    if (is_path(command.program)) files.push_back(command.program);
  }
  for (const McpServer& server : tools.servers) {
    if (!server.argv.empty() && server.argv.front().starts_with('/')) {
      files.push_back(server.argv.front());
    }
  }
  return files;
}

bool has_programs(const ExtraTools& tools) {
  return !tools.commands.empty() ||
         std::any_of(tools.servers.begin(), tools.servers.end(),
                     [](const McpServer& server) { return !server.argv.empty(); });
}

Result<std::vector<agent::Tool>> make_extra_tools(Session& session, ExtraTools& tools,
                                                  const agent::builtin::SharedBase& base,
                                                  const std::string& root,
                                                  llm::http::Transport& transport) {
  std::vector<agent::Tool> made;
  const bool is_new = tools.defined.empty();
  for (const ToolCommand& command : tools.commands) {
    if (is_new) tools.defined.push_back(TRY(agent::builtin::describe_command(command, base)));
    if (const ToolDefinition* definition = find(tools, command.name)) {
      made.push_back(agent::builtin::make_tool_command(command, *definition, base));
    }
  }
  for (const McpServer& server : tools.servers) {
    const auto opened = TRY(open_mcp_server(session, server, base, root, transport));
    if (is_new) {
      for (ToolDefinition& one : TRY(choose(server, tools.chosen, opened->definitions()))) {
        tools.defined.push_back(std::move(one));
      }
    }
    for (const ToolDefinition& told : tools.defined) {
      if (is_of(server, told.id)) made.push_back(agent::mcp::Server::make(opened, told));
    }
  }
  TRY(add_skills(tools, is_new, made));
  return made;
}

std::vector<agent::Tool> describe_extra_tools(const ExtraTools& tools) {
  std::vector<agent::Tool> made;
  for (const ToolDefinition& definition : tools.defined) {
    made.push_back(agent::make_tool(definition, [](std::string_view, const agent::ToolContext&) {
      return agent::failed("no tool runs here");
    }));
  }
  return made;
}

}  // namespace spoor::cli
