#include "trace/source_outcome.h"

#include <algorithm>
#include <array>

namespace spoor::trace {
namespace {

/// The beginning of a result that an agent writes in place of a tool's output.
struct Phrase {
  std::string_view source;  // As `source` in meta.
  std::string_view begin;
};

// The texts are those of the programs: Claude Code 2.1, Codex 0.149 (function_tool.rs, exec.rs,
// apply_patch.rs), Gemini CLI 0.61 and Qwen Code (coreToolScheduler.ts), OpenCode 1 (permission),
// Copilot 1.0.102 (runtime.node).
constexpr std::array kRefused = {
    Phrase{"claude-code", "The user doesn't want to proceed with this tool use"},
    Phrase{"claude-code", "The user doesn't want to take this action right now"},
    Phrase{"claude-code", "Permission for this "},
    Phrase{"claude-code", "Permission to use "},
    Phrase{"claude-code", "Claude requested permissions to "},
    Phrase{"claude-code", "This command requires approval"},
    Phrase{"claude-code", "This Bash command contains multiple operations. The following part"},
    Phrase{"claude-code", "Hook PreToolUse:"},
    Phrase{"claude-code", "PreToolUse:"},
    Phrase{"codex", "exec command rejected by user"},
    Phrase{"codex", "patch rejected"},
    Phrase{"codex", "rejected by user"},
    Phrase{"codex", "exec_command failed: CreateProcess { message: \"Rejected("},
    Phrase{"gemini-cli", "Tool execution denied by policy"},
    Phrase{"gemini-cli", "[Operation Cancelled] Reason: User denied"},
    Phrase{"qwen-code", "Tool execution denied by policy"},
    Phrase{"qwen-code", "[Operation Cancelled] Reason: User denied"},
    Phrase{"qwen-code", "Qwen Code requires permission to use "},
    Phrase{"opencode", "The user rejected permission to use this specific tool call"},
    Phrase{"opencode", "The user has specified a rule which prevents you from using this"},
    Phrase{"copilot", "Permission to run this tool was denied"},
    Phrase{"copilot", "Permission to access this URL was denied"},
    Phrase{"copilot", "Permission to search this path was denied"},
    Phrase{"copilot", "Permission denied because "},
    Phrase{"copilot", "Permission denied by "},
    Phrase{"copilot", "Permission denied while applying "},
    Phrase{"copilot", "Permission denied and could not request permission"},
    Phrase{"copilot", "Copilot needed the user's approval and no one could answer"},
    Phrase{"copilot", "The user rejected this tool call"},
    Phrase{"copilot", "The tool execution was denied by the user"},
    Phrase{"copilot", "Denied by "},
};

constexpr std::array kFailed = {
    Phrase{"openhands", "ERROR:"},
    Phrase{"codex", "unsupported call: "},
    Phrase{"codex", "unsupported custom tool call: "},
    Phrase{"codex", "apply_patch verification failed: "},
    Phrase{"codex", "exec_command failed"},
    Phrase{"codex", "execution error: "},
    Phrase{"codex", "sandbox denied exec error"},
    Phrase{"codex", "failed to parse function arguments: "},
    Phrase{"codex", "failed in sandbox"},
    Phrase{"codex", "aborted"},
    Phrase{"codex", "command aborted by user"},
};

template <std::size_t N>
bool begins(const std::array<Phrase, N>& phrases, const compile::FactsView& facts,
            std::string_view text) {
  return std::any_of(phrases.begin(), phrases.end(), [&](const Phrase& phrase) {
    return text.starts_with(phrase.begin) && facts.says(fact::source, phrase.source);
  });
}

}  // namespace

bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text) {
  if (facts.json(fact::refused_by).is_string()) return true;
  const bool is_marked = is_error || facts.says(fact::source, "codex");  // It marks no result.
  return is_marked && begins(kRefused, facts, text);
}

bool says_error(const compile::FactsView& facts, std::string_view text) {
  return begins(kFailed, facts, text);
}

}  // namespace spoor::trace
