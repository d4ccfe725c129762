#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/builtin/tool_command.h"
#include "agent/project/agent_files.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/agents/mcp_servers.h"
#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {

inline constexpr Option kToolCommand{
    "--tool-command", "NAME=PROGRAM", "a program as a tool (docs/tools.md); may be given again", 0,
    Takes::text,      Count::many};

inline constexpr Option kSkills{
    "--skills", "DIR",       "a folder of skills (folders with SKILL.md); may be given again",
    0,          Takes::path, Count::many};
inline constexpr Option kAgents{
    "--agents", "DIR",       "agents to delegate to, from files such as .claude/agents/*.md",
    0,          Takes::path, Count::many};

/// The tools of a run that do not come with spoor. Recorded with the run, so that it can be
/// resumed. They name programs, so they are used only from a store that the user trusts.
struct ExtraTools {
  std::vector<agent::builtin::ToolCommand> commands;
  std::vector<McpServer> servers;
  std::vector<std::string> skills;  ///< folders of skills
  std::vector<agent::project::AgentFile> agents;
  std::vector<std::string> chosen;  ///< `SERVER.TOOL`: of these servers only these; not recorded

  /// The descriptions that the run's model saw; empty: not asked yet.
  std::vector<agent::ToolDefinition> defined;

  bool operator==(const ExtraTools&) const = default;
};

/// Reads the options of extra tools. Relative paths become absolute. Moves the names of servers'
/// tools from `names` to `chosen`.
Result<ExtraTools> read_extra_tools(const Session& session, const Arguments& arguments,
                                    std::vector<std::string>& names);

/// Adds the tools to the recorded settings of a run, and reads them back.
void write_extra_tools(json::Object& object, const ExtraTools& tools);
ExtraTools parse_extra_tools(const json::Value& object);

/// Changes the paths in `tools`, to record them or to use recorded ones.
void map_paths(ExtraTools& tools, const std::function<std::string(const std::string&)>& map);

/// Returns the files that confined programs must be able to read: the programs themselves.
std::vector<std::string> program_files(const ExtraTools& tools);

/// True if the tools start programs.
bool has_programs(const ExtraTools& tools);

/// Makes the tools, except those of agents: asks the programs what they are unless `tools.defined`
/// has it, and sets it; connects to the servers. `root` is the folder that they work in;
/// `transport` must outlive the tools.
Result<std::vector<agent::Tool>> make_extra_tools(Session& session, ExtraTools& tools,
                                                  const agent::builtin::SharedBase& base,
                                                  const std::string& root,
                                                  llm::http::Transport& transport);

/// Makes tools that only describe themselves, for a run that is looked at: each call fails.
std::vector<agent::Tool> describe_extra_tools(const ExtraTools& tools);

}  // namespace spoor::cli
