#include "import/known_agents.h"

#include <algorithm>
#include <array>

namespace spoor::import {
namespace {

using Words = std::array<std::string_view, 2>;

// The first form of hooks, which others have taken over.
constexpr std::string_view kHookEntry =
    R"({"hooks": [{"type": "command", "command": "{command}"}]})";
constexpr std::array<std::string_view, 2> kHookEvents = {"SessionStart", "UserPromptSubmit"};

constexpr std::string_view kServerEntry = R"({"command": "{program}", "args": ["mcp"]})";

// ---- Claude Code: https://code.claude.com/docs/en/settings ----

constexpr std::array kClaudeFolders = {
    AgentPath{"CLAUDE_CONFIG_DIR", "projects", ".claude/projects"},
    AgentPath{"", "", ".config/claude/projects"}};
constexpr std::array<std::string_view, 1> kClaudeHeaders = {"x-claude-code-session-id"};
constexpr std::array kClaudeProviders = {AgentProvider{
    "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "env.ANTHROPIC_BASE_URL"}};
constexpr std::array kClaudeSettings = {
    AgentSettings{.in_folder = ".claude/settings.local.json"},
    AgentSettings{.in_folder = ".claude/settings.json"},
    AgentSettings{.user = {"CLAUDE_CONFIG_DIR", "settings.json", ".claude/settings.json"}}};
constexpr Words kClaudeWords = {"--settings", R"({"env":{"ANTHROPIC_BASE_URL":"{address}"}})"};

// https://code.claude.com/docs/en/hooks
constexpr AgentHooks kClaudeHooks = {
    .file = {"CLAUDE_CONFIG_DIR", "settings.json", ".claude/settings.json"},
    .events = kHookEvents,
    .entry = kHookEntry};

// https://code.claude.com/docs/en/mcp and /skills
constexpr AgentServer kClaudeServer = {
    .file = {"CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"},
    .entry = R"({"type": "stdio", "command": "{program}", "args": ["mcp"]})",
    .skill = {"CLAUDE_CONFIG_DIR", "skills/spoor/SKILL.md", ".claude/skills/spoor/SKILL.md"}};

// ---- Codex: https://developers.openai.com/codex/config-reference ----

constexpr std::array kCodexFolders = {
    AgentPath{"CODEX_HOME", "sessions", ".codex/sessions"},
    AgentPath{"CODEX_HOME", "archived_sessions", ".codex/archived_sessions"}};
constexpr std::array<std::string_view, 2> kCodexHeaders = {"thread-id", "session-id"};
constexpr std::array kCodexProviders = {
    AgentProvider{.name = "openai",
                  .upstream = "https://api.openai.com/v1",
                  .setting = "openai_base_url",
                  .key_variable = "CODEX_API_KEY",
                  .login_upstream = "https://chatgpt.com/backend-api/codex"}};
constexpr std::array kCodexSettings = {
    AgentSettings{.user = {"CODEX_HOME", "config.toml", ".codex/config.toml"}}};
constexpr Words kCodexWords = {"-c", R"(openai_base_url="{address}")"};
constexpr Words kCodexOwnWords = {"-c", R"(model_providers.{choice}.base_url="{address}")"};

constexpr AgentHooks kCodexHooks = {.file = {"CODEX_HOME", "hooks.json", ".codex/hooks.json"},
                                    .events = kHookEvents,
                                    .entry = kHookEntry,
                                    .asks = "Codex runs hooks that you trust: see /hooks in Codex"};

// https://developers.openai.com/codex/mcp and /skills
constexpr AgentServer kCodexServer = {
    .file = {"CODEX_HOME", "config.toml", ".codex/config.toml"},
    .entry = "[mcp_servers.spoor]\ncommand = \"{program}\"\nargs = [\"mcp\"]\n",
    .skill = {"CODEX_HOME", "skills/spoor/SKILL.md", ".codex/skills/spoor/SKILL.md"}};

// ---- Gemini CLI: https://geminicli.com/docs/reference/configuration ----

// Files that are not sessions, such as tool outputs and logs, are passed over because of their
// content.
constexpr std::array kGeminiFolders = {AgentPath{"", "", ".gemini/tmp"}};
constexpr std::array kGeminiProviders = {
    AgentProvider{"gemini", "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL"},
    AgentProvider{"login", "https://cloudcode-pa.googleapis.com", "CODE_ASSIST_ENDPOINT"},
};
constexpr std::array kGeminiSettings = {AgentSettings{.in_parents = ".gemini/.env|.env"},
                                        AgentSettings{.user = {"", "", ".gemini/.env"}},
                                        AgentSettings{.user = {"", "", ".env"}}};

constexpr std::array<std::string_view, 2> kGeminiEvents = {"SessionStart", "BeforeAgent"};
constexpr AgentHooks kGeminiHooks = {
    .file = {"", "", ".gemini/settings.json"}, .events = kGeminiEvents, .entry = kHookEntry};

// https://geminicli.com/docs/tools/mcp-server and /docs/cli/skills
constexpr AgentServer kGeminiServer = {.file = {"", "", ".gemini/settings.json"},
                                       .entry = kServerEntry,
                                       .skill = {"", "", ".gemini/skills/spoor/SKILL.md"}};

// ---- Pi: its docs/extensions.md and docs/models.md ----

constexpr std::array kPiFolders = {
    AgentPath{"PI_CODING_AGENT_DIR", "sessions", ".pi/agent/sessions"}};
constexpr std::array kPiProviders = {
    AgentProvider{"anthropic", "https://api.anthropic.com", "", "providers.anthropic.baseUrl"},
    AgentProvider{"openai", "https://api.openai.com/v1", "", "providers.openai.baseUrl"},
    AgentProvider{"google", "https://generativelanguage.googleapis.com/v1beta", "",
                  "providers.google.baseUrl"},
    AgentProvider{"openrouter", "https://openrouter.ai/api/v1", "", "providers.openrouter.baseUrl"},
    AgentProvider{"groq", "https://api.groq.com/openai/v1", "", "providers.groq.baseUrl"},
    AgentProvider{"xai", "https://api.x.ai/v1", "", "providers.xai.baseUrl"},
};
constexpr std::array kPiSettings = {
    AgentSettings{.user = {"PI_CODING_AGENT_DIR", "models.json", ".pi/agent/models.json"}}};
constexpr std::array<std::string_view, 5> kPiCommands = {"install", "remove", "update", "list",
                                                         "config"};
constexpr Words kPiWords = {"--extension", "{file}"};

constexpr AgentHooks kPiHooks = {
    .file = {"PI_CODING_AGENT_DIR", "extensions/spoor.ts", ".pi/agent/extensions/spoor.ts"},
    .whole =
        "import { exec } from \"node:child_process\";\n"
        "export default function (pi: any) {\n"
        "  pi.on(\"session_start\", () => exec(\"{command}\"));\n"
        "}\n"};

// It has no client of the protocol; its docs/skills.md.
constexpr AgentServer kPiServer = {
    .skill = {"PI_CODING_AGENT_DIR", "skills/spoor/SKILL.md", ".pi/agent/skills/spoor/SKILL.md"}};

// ---- OpenCode: https://opencode.ai/docs/config ----

constexpr std::array kOpenCodeFolders = {
    AgentPath{"XDG_DATA_HOME", "opencode/opencode.db", ".local/share/opencode/opencode.db"}};
constexpr std::array<std::string_view, 1> kOpenCodeHeaders = {"x-session-id"};
constexpr std::array kOpenCodeProviders = {
    AgentProvider{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_BASE_URL",
                  "provider.anthropic.options.baseURL", "ANTHROPIC_API_KEY"},
    AgentProvider{"openai", "https://api.openai.com/v1", "OPENAI_BASE_URL",
                  "provider.openai.options.baseURL", "OPENAI_API_KEY"},
    AgentProvider{"google", "https://generativelanguage.googleapis.com/v1beta", "",
                  "provider.google.options.baseURL", "GOOGLE_GENERATIVE_AI_API_KEY"},
    AgentProvider{"openrouter", "https://openrouter.ai/api/v1", "",
                  "provider.openrouter.options.baseURL", "OPENROUTER_API_KEY"},
    AgentProvider{"groq", "https://api.groq.com/openai/v1", "", "provider.groq.options.baseURL",
                  "GROQ_API_KEY"},
    AgentProvider{"xai", "https://api.x.ai/v1", "", "provider.xai.options.baseURL", "XAI_API_KEY"},
};
constexpr std::array kOpenCodeSettings = {
    AgentSettings{.in_parents = "opencode.jsonc|opencode.json"},
    AgentSettings{.user = {"OPENCODE_CONFIG", "", ""}},
    AgentSettings{
        .user = {"XDG_CONFIG_HOME", "opencode/opencode.jsonc", ".config/opencode/opencode.jsonc"}},
    AgentSettings{
        .user = {"XDG_CONFIG_HOME", "opencode/opencode.json", ".config/opencode/opencode.json"}},
    AgentSettings{
        .user = {"XDG_CONFIG_HOME", "opencode/config.json", ".config/opencode/config.json"}}};

// ---- Those whose sessions are read, and that are not started ----

constexpr std::array kOhMyPi = {AgentPath{"", "", ".omp/agent/sessions"}};
constexpr std::array kCopilot = {
    AgentPath{"COPILOT_HOME", "session-state", ".copilot/session-state"}};
constexpr std::array kQwen = {AgentPath{"", "", ".qwen/projects"}};
constexpr std::array kDroid = {AgentPath{"", "", ".factory/sessions"}};
constexpr std::array kCursor = {AgentPath{"", "", ".cursor/projects"}};
constexpr std::array kKimi = {AgentPath{"", "", ".kimi/sessions"}};
constexpr std::array kGrok = {AgentPath{"", "", ".grok/sessions"}};
// https://cursor.com/docs/agent/hooks
constexpr std::array<std::string_view, 1> kCursorEvents = {"beforeSubmitPrompt"};
constexpr AgentHooks kCursorHooks = {.file = {"", "", ".cursor/hooks.json"},
                                     .events = kCursorEvents,
                                     .entry = R"({"command": "{command}"})",
                                     .begun = R"({"version": 1})"};
constexpr AgentServer kCursorServer = {.file = {"", "", ".cursor/mcp.json"},
                                       .entry = kServerEntry,
                                       .skill = {"", "", ".cursor/skills/spoor/SKILL.md"}};
// https://docs.factory.ai/reference/hooks-reference
constexpr AgentHooks kDroidHooks = {
    .file = {"", "", ".factory/settings.json"}, .events = kHookEvents, .entry = kHookEntry};
// https://docs.factory.ai/cli/configuration/mcp and /skills
constexpr AgentServer kDroidServer = {
    .file = {"", "", ".factory/mcp.json"},
    .entry = R"({"type": "stdio", "command": "{program}", "args": ["mcp"]})",
    .skill = {"", "", ".factory/skills/spoor/SKILL.md"}};
constexpr std::array kHermes = {AgentPath{"", "", ".hermes/sessions"}};

constexpr std::array kAgents = {
    KnownAgent{.name = "claude-code",
               .title = "Claude Code",
               .command = "claude",
               .program = "claude-cli/",
               .folders = kClaudeFolders,
               .session_headers = kClaudeHeaders,
               .redirect = {.providers = kClaudeProviders,
                            .settings = kClaudeSettings,
                            .words = kClaudeWords,
                            .are_words_for_setting = true},
               .hooks = kClaudeHooks,
               .server = kClaudeServer,
               .events = {"claude_code.", "session.id", "tool_use_id"}},
    KnownAgent{.name = "codex",
               .title = "Codex",
               .command = "codex",
               .program = "codex_",
               .folders = kCodexFolders,
               .session_headers = kCodexHeaders,
               .redirect = {.providers = kCodexProviders,
                            .settings = kCodexSettings,
                            .accounts = {"CODEX_HOME", "auth.json", ".codex/auth.json"},
                            .login = "tokens",
                            .words = kCodexWords,
                            .choice = "model_provider",
                            .chosen_setting = "model_providers.{choice}.base_url",
                            .chosen_words = kCodexOwnWords},
               .hooks = kCodexHooks,
               .server = kCodexServer,
               .events = {"codex.", "conversation.id", "call_id"}},
    KnownAgent{.name = "gemini-cli",
               .title = "Gemini CLI",
               .command = "gemini",
               .program = "GeminiCLI",
               .folders = kGeminiFolders,
               .names_replies = false,
               .redirect = {.providers = kGeminiProviders,
                            .settings = kGeminiSettings,
                            // With an address it does not look for its key, unless it is told to.
                            .file_name = "settings.json",
                            .file = R"({"security":{"auth":{"selectedType":"gemini-api-key"}}})",
                            .file_variable = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"},
               .hooks = kGeminiHooks,
               .server = kGeminiServer,
               .events = {"gemini_cli.", "session.id", ""}},
    KnownAgent{.name = "pi",
               .title = "Pi",
               .command = "pi",
               .folders = kPiFolders,
               .redirect = {.providers = kPiProviders,
                            .settings = kPiSettings,
                            .words = kPiWords,
                            .each = R"(pi.registerProvider("{name}", { baseUrl: "{address}" });)",
                            .file_name = "spoor.ts",
                            .file = "export default function (pi: any) { {all} }",
                            .own_commands = kPiCommands},
               .hooks = kPiHooks,
               .server = kPiServer},
    KnownAgent{.name = "opencode",
               .title = "OpenCode",
               .command = "opencode",
               .program = "opencode/",
               .folders = kOpenCodeFolders,
               .session_headers = kOpenCodeHeaders,
               .names_replies = false,
               .session_prefix = "ses_",
               .redirect = {.providers = kOpenCodeProviders,
                            .settings = kOpenCodeSettings,
                            .accounts = {"", "", ".local/share/opencode/auth.json"},
                            .variable = "OPENCODE_CONFIG_CONTENT",
                            .value = R"({"provider":{{all}}})",
                            .each = R"("{name}":{"options":{"baseURL":"{address}"}})",
                            .between = ","}},
    KnownAgent{.name = "oh-my-pi", .title = "Oh-My-Pi", .folders = kOhMyPi},
    KnownAgent{.name = "copilot", .title = "GitHub Copilot CLI", .folders = kCopilot},
    KnownAgent{.name = "qwen-code", .title = "Qwen Code", .folders = kQwen},
    KnownAgent{.name = "droid",
               .title = "Droid",
               .command = "droid",
               .folders = kDroid,
               .hooks = kDroidHooks,
               .server = kDroidServer},
    KnownAgent{.name = "cursor",
               .title = "Cursor",
               .command = "cursor-agent",
               .folders = kCursor,
               .hooks = kCursorHooks,
               .server = kCursorServer},
    KnownAgent{.name = "kimi", .title = "Kimi CLI", .folders = kKimi},
    KnownAgent{.name = "grok", .title = "Grok CLI", .folders = kGrok},
    KnownAgent{.name = "hermes", .title = "Hermes Agent", .folders = kHermes},
};

}  // namespace

std::span<const KnownAgent> known_agents() { return kAgents; }

const KnownAgent* find_agent(std::string_view command) {
  const auto found = std::ranges::find_if(kAgents, [&](const KnownAgent& agent) {
    return !command.empty() && (agent.command == command || agent.name == command);
  });
  return found == kAgents.end() ? nullptr : &*found;
}

}  // namespace spoor::import
