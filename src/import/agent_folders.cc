#include "import/agent_folders.h"

#include <algorithm>
#include <array>

#include "import/source.h"

namespace spoor::import {
namespace {

// Files in a Gemini CLI folder that are not sessions, such as tool outputs and logs, are passed
// over because of their content.
constexpr std::array kFolders = {
    AgentFolder{"Claude Code", "CLAUDE_CONFIG_DIR", "projects", ".claude/projects"},
    AgentFolder{"Claude Code", "", "", ".config/claude/projects"},
    AgentFolder{"Codex", "CODEX_HOME", "sessions", ".codex/sessions"},
    AgentFolder{"Codex", "CODEX_HOME", "archived_sessions", ".codex/archived_sessions"},
    AgentFolder{"Gemini CLI", "", "", ".gemini/tmp"},
    AgentFolder{"Pi", "PI_CODING_AGENT_DIR", "sessions", ".pi/agent/sessions"},
    AgentFolder{"Oh-My-Pi", "", "", ".omp/agent/sessions"},
    AgentFolder{"GitHub Copilot CLI", "COPILOT_HOME", "session-state", ".copilot/session-state"},
    AgentFolder{"Qwen Code", "", "", ".qwen/projects"},
    AgentFolder{"Droid", "", "", ".factory/sessions"},
    AgentFolder{"Cursor", "", "", ".cursor/projects"},
    AgentFolder{"Kimi CLI", "", "", ".kimi/sessions"},
    AgentFolder{"Grok CLI", "", "", ".grok/sessions"},
    AgentFolder{"Hermes Agent", "", "", ".hermes/sessions"},
};

}  // namespace

std::span<const AgentFolder> agent_folders() { return kFolders; }

std::vector<FoundFolder> find_agent_folders(
    const std::string& home,
    const std::function<std::optional<std::string>(const char*)>& variable) {
  std::vector<FoundFolder> found;
  for (const AgentFolder& each : kFolders) {
    const auto moved = each.variable[0] != '\0' ? variable(each.variable) : std::nullopt;
    if ((!moved || moved->empty()) && home.empty()) continue;
    FoundFolder folder{.agent = each.agent,
                       .path = moved && !moved->empty() ? *moved + "/" + each.in_variable
                                                        : home + "/" + each.in_home};
    const bool is_known = std::ranges::find(found, folder.path, &FoundFolder::path) != found.end();
    if (is_known) continue;
    auto files = session_files(folder.path, &folder.unreadable);
    if (files) {
      folder.files = std::move(files).value();
    } else if (files.error().code == Error::Code::io) {
      folder.unreadable.push_back(folder.path);
    }
    if (folder.files.empty() && folder.unreadable.empty()) continue;
    found.push_back(std::move(folder));
  }
  return found;
}

}  // namespace spoor::import
