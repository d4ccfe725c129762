#include "audit/event/action_type.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "audit/check/commands.h"
#include "audit/event/test_command.h"
#include "compile/json/reader.h"

namespace spoor::audit {
namespace {

namespace json = compile::json;
using Type = AgentAction::Type;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_editor(std::string_view tool) {
  return is_one_of(tool, {"edit_file", "write_file", "Edit", "Write", "MultiEdit", "NotebookEdit",
                          "apply_patch", "str_replace_editor", "str_replace_based_edit_tool",
                          "replace", "edit", "write", "write_to_file", "replace_in_file"});
}

bool is_shell(std::string_view tool) {
  return is_one_of(tool, {"run_command", "Bash", "bash", "shell", "exec_command", "local_shell",
                          "run_shell_command", "execute_command", "container.exec"});
}

bool is_request(std::string_view tool) {
  return is_one_of(tool, {"http_get", "WebFetch", "WebSearch", "web_fetch", "web_search"}) ||
         tool.starts_with("mcp__");
}

// What a program does, and what makes it do something else: options, and words behind.
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

// With --web it is a person who opens it, later, if at all.
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

int rank(Type type) {
  switch (type) {
    case Type::deploy:
      return 4;
    case Type::merge:
      return 3;
    case Type::open_pr:
      return 2;
    case Type::run_tests:
      return 1;
    default:
      return 0;
  }
}

Type type_of(const Words& command) {
  if (says(command, "--help -h -help --dry-run")) return Type::command;
  const bool is_vercel = behind(command, "vercel") > 0 && says(command, "--prod");
  if (is_vercel || does(command, kDeploys)) return Type::deploy;
  if (does(command, kMerges)) return Type::merge;
  if (does(command, kOpensRequest)) return Type::open_pr;
  return runs_tests(command) ? Type::run_tests : Type::command;
}

json::Value command_in(const json::Value& arguments) {
  json::Value given;
  for (const char* key : {"argv", "command", "cmd"}) {
    if (!given) given = arguments.find(key);
  }
  return given;
}

}  // namespace

std::string line_of(const CallSeen& call) {
  const auto document = json::parse(call.arguments);
  if (!document || !is_shell(call.tool)) return {};
  const json::Value given = command_in(document->root());
  if (!given.is_array()) return given.text();
  std::string line;
  for (const json::Value word : given.elements()) line += (line.empty() ? "" : " ") + word.text();
  return line;
}

std::vector<Words> commands_of(const CallSeen& call) {
  const auto document = json::parse(call.arguments);
  if (!document || !is_shell(call.tool)) return {};
  const json::Value given = command_in(document->root());
  check::Commands commands;
  if (given.is_array()) {
    std::vector<std::string> argv;
    for (const json::Value word : given.elements()) argv.push_back(word.text());
    commands = check::commands_of_argv(argv, {});
  } else if (given.is_string()) {
    commands = check::commands_of_script(given.text(), {});
  }
  std::vector<Words> all;
  for (const check::Command& command : commands.all) {
    Words words = {command.program};
    for (const check::Word& word : command.words) words.push_back(word.text);
    all.push_back(std::move(words));
  }
  return all;
}

std::optional<std::string> path_of(const CallSeen& call) {
  const auto document = json::parse(call.arguments);
  if (!document || !document->root().is_object()) return std::nullopt;
  for (const char* key : {"path", "file_path", "notebook_path", "filePath"}) {
    const json::Value path = document->root().find(key);
    if (path.is_string()) return path.text();
  }
  return std::nullopt;
}

Type type_of(const CallSeen& call) {
  if (call.artifact == "file_edit" || is_editor(call.tool)) return Type::edit;
  if (call.artifact == "command" || call.artifact == "test_run" || is_shell(call.tool)) {
    Type found = call.artifact == "test_run" ? Type::run_tests : Type::command;
    for (const Words& command : commands_of(call)) {
      const Type type = type_of(command);
      if (rank(type) > rank(found)) found = type;
    }
    return found;
  }
  return is_request(call.tool) ? Type::api_call : Type::other;
}

}  // namespace spoor::audit
