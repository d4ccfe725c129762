#include "guard/check/action_type.h"

#include <algorithm>
#include <array>

#include "guard/check/commands.h"
#include "trace/tool_call.h"

namespace spoor::guard::check {
namespace {

using trace::behind;
using trace::lists;
using trace::read_tool_call;
using trace::says;
using trace::ToolCallRead;
using trace::ToolKind;
using ActionType = AgentAction::Type;

// The beginning of a command, and the options and later words that change what it does.
struct Doing {
  std::string_view words;
  std::string_view unless = {};
};

constexpr std::array kDeploys = {
    Doing{"kubectl apply"},
    Doing{"kubectl rollout restart"},
    Doing{"kubectl rollout undo"},
    Doing{"kubectl rollout resume"},
    Doing{"helm upgrade"},
    Doing{"helm install"},
    Doing{"terraform apply"},
    Doing{"tofu apply"},
    Doing{"pulumi up"},
    Doing{"cdk deploy", "--no-execute"},
    Doing{"ansible-playbook",
          "--check -C --syntax-check --list-tasks --list-hosts --list-tags --version"},
    Doing{"fly deploy", "--build-only"},
    Doing{"flyctl deploy", "--build-only"},
    Doing{"vercel deploy"},
    Doing{"netlify deploy"},
    Doing{"serverless deploy", "list"},
    Doing{"sls deploy", "list"},
    Doing{"wrangler deploy"},
    Doing{"eb deploy"},
    Doing{"cap deploy", "-n"},
    Doing{"gcloud app deploy"},
    Doing{"gcloud run deploy"},
    Doing{"firebase deploy"},
    Doing{"npm publish"},
    Doing{"pnpm publish"},
    Doing{"yarn publish"},
    Doing{"yarn npm publish"},
    Doing{"cargo publish", "-n"},
    Doing{"twine upload"},
    Doing{"gem push"},
    Doing{"docker push"},
    Doing{"podman push"},
};

constexpr std::array kMerges = {
    Doing{"git merge", "--abort --quit --continue"},
    Doing{"gh pr merge", "--disable-auto"},
    Doing{"glab mr merge"},
};

// With --web a person opens it later, if at all.
constexpr std::array kOpensRequest = {
    Doing{"gh pr create", "--web -w"},
    Doing{"glab mr create", "--web -w"},
    Doing{"hub pull-request"},
};

template <std::size_t N>
bool does(const Words& command, const std::array<Doing, N>& all) {
  for (const Doing& doing : all) {
    const std::size_t at = behind(command, doing.words);
    if (at == 0) continue;
    const bool is_another = at < command.size() && lists(doing.unless, command[at]);
    return !is_another && !says(command, doing.unless);
  }
  return false;
}

int rank(ActionType type) {
  switch (type) {
    case ActionType::deploy:
      return 4;
    case ActionType::merge:
      return 3;
    case ActionType::open_pr:
      return 2;
    case ActionType::run_tests:
      return 1;
    default:
      return 0;
  }
}

ActionType type_of(const Words& command) {
  if (says(command, "--help -h -help --dry-run")) return ActionType::command;
  const bool is_vercel = behind(command, "vercel") > 0 && says(command, "--prod");
  if (is_vercel || does(command, kDeploys)) return ActionType::deploy;
  if (does(command, kMerges)) return ActionType::merge;
  if (does(command, kOpensRequest)) return ActionType::open_pr;
  return runs_tests(command) ? ActionType::run_tests : ActionType::command;
}

bool runs_commands(const ToolCallRead& call) {
  return call.kind == ToolKind::shell || call.kind == ToolKind::code;
}

std::vector<Words> commands_of(const ToolCallRead& call) {
  std::vector<Words> all;
  const auto add = [&all](const check::Commands& commands) {
    for (const check::Command& command : commands.all) {
      if (command.program.empty()) continue;
      Words words = {command.program};
      for (const check::Word& word : command.words) words.push_back(word.text);
      all.push_back(std::move(words));
    }
  };
  if (!runs_commands(call)) return all;
  for (const std::string& script : call.scripts) add(check::commands_of_script(script, {}));
  for (const auto& argv : call.argvs) add(check::commands_of_argv(argv, {}));
  return all;
}

}  // namespace

std::string line_of(const CallSeen& call) {
  const ToolCallRead read = read_tool_call(call.tool, call.arguments);
  if (!runs_commands(read)) return {};
  if (!read.scripts.empty()) return read.scripts.front();
  std::string line;
  if (read.argvs.empty()) return line;
  for (const std::string& word : read.argvs.front()) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::vector<Words> commands_of(const CallSeen& call) {
  return commands_of(read_tool_call(call.tool, call.arguments));
}

ActionType type_of(const CallSeen& call) {
  if (call.artifact == "file_edit") return ActionType::edit;
  const ToolCallRead read = read_tool_call(call.tool, call.arguments);
  const bool is_command = call.artifact == "command" || call.artifact == "test_run";
  if (!is_command && call.tool.starts_with("mcp__")) return ActionType::api_call;
  if (!is_command && read.kind == ToolKind::editor) return ActionType::edit;
  if (!is_command && read.kind == ToolKind::request) return ActionType::api_call;
  if (!is_command && !runs_commands(read)) return ActionType::other;
  const bool is_program = read.kind == ToolKind::code && read.scripts.empty() && read.argvs.empty();
  if (is_program && !read.changed.empty()) return ActionType::edit;
  if (is_program && read.unclear.empty()) return ActionType::other;  // Its tools do neither.
  ActionType found = call.artifact == "test_run" ? ActionType::run_tests : ActionType::command;
  for (const Words& command : commands_of(read)) {
    const ActionType type = type_of(command);
    if (rank(type) > rank(found)) found = type;
  }
  return found;
}

}  // namespace spoor::guard::check
