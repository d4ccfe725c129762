#include "audit/event/action_type.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "audit/check/commands.h"
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

// Words that are no options, from the front.
std::vector<std::string_view> plain_words(const Words& command) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (i > 0 && word.starts_with('-')) {
      // `git -C DIR merge`, `kubectl -n NAME apply`, `npm --prefix DIR test`
      const bool takes_value =
          is_one_of(word, {"-C", "-c", "-n", "--namespace", "--context", "--prefix", "--chdir",
                           "-R", "--repo", "--kubeconfig", "--project", "--region", "--profile"});
      if (takes_value) ++i;
      continue;
    }
    words.push_back(word);
  }
  return words;
}

bool begins(const std::vector<std::string_view>& words,
            std::initializer_list<std::string_view> with) {
  return words.size() >= with.size() && std::equal(with.begin(), with.end(), words.begin());
}

bool begins_any(const std::vector<std::string_view>& words,
                std::initializer_list<std::initializer_list<std::string_view>> all) {
  return std::any_of(all.begin(), all.end(), [&](const auto& with) { return begins(words, with); });
}

bool has(const Words& command, std::string_view option) {
  return std::find(command.begin(), command.end(), option) != command.end();
}

bool deploys(const Words& command, const std::vector<std::string_view>& words) {
  if (has(command, "--dry-run") || has(command, "--dry-run=client")) return false;
  return begins_any(words, {{"kubectl", "apply"},
                            {"kubectl", "rollout"},
                            {"helm", "upgrade"},
                            {"helm", "install"},
                            {"terraform", "apply"},
                            {"tofu", "apply"},
                            {"pulumi", "up"},
                            {"cdk", "deploy"},
                            {"ansible-playbook"},
                            {"fly", "deploy"},
                            {"flyctl", "deploy"},
                            {"vercel", "deploy"},
                            {"netlify", "deploy"},
                            {"serverless", "deploy"},
                            {"sls", "deploy"},
                            {"wrangler", "deploy"},
                            {"eb", "deploy"},
                            {"cap", "deploy"},
                            {"gcloud", "app", "deploy"},
                            {"gcloud", "run", "deploy"},
                            {"firebase", "deploy"},
                            {"npm", "publish"},
                            {"pnpm", "publish"},
                            {"yarn", "publish"},
                            {"cargo", "publish"},
                            {"twine", "upload"},
                            {"gem", "push"},
                            {"docker", "push"},
                            {"podman", "push"}}) ||
         (begins(words, {"vercel"}) && has(command, "--prod"));
}

bool merges(const Words& command, const std::vector<std::string_view>& words) {
  for (const char* end : {"--abort", "--quit", "--continue"}) {
    if (has(command, end)) return false;
  }
  return begins_any(words, {{"git", "merge"}, {"gh", "pr", "merge"}, {"glab", "mr", "merge"}});
}

bool tests(const Words& command, const std::vector<std::string_view>& words) {
  if (is_one_of(words.front(), {"python", "python3"}) && has(command, "-m")) {
    return has(command, "pytest") || has(command, "unittest");
  }
  // Scripts of a project, by their names: `mise run test:ci`
  const bool is_script = begins_any(
      words,
      {{"mise", "run"}, {"npm", "run"}, {"pnpm", "run"}, {"yarn", "run"}, {"just"}, {"task"}});
  if (is_script) {
    const std::size_t at = words.size() > 2 && words[1] == "run" ? 2 : 1;
    return words.size() > at && words[at].starts_with("test");
  }
  return begins_any(words, {{"ctest"},
                            {"pytest"},
                            {"tox"},
                            {"nox"},
                            {"jest"},
                            {"vitest"},
                            {"mocha"},
                            {"rspec"},
                            {"phpunit"},
                            {"go", "test"},
                            {"cargo", "test"},
                            {"cargo", "nextest"},
                            {"npm", "test"},

                            {"pnpm", "test"},
                            {"yarn", "test"},
                            {"bun", "test"},
                            {"deno", "test"},
                            {"dotnet", "test"},
                            {"mvn", "test"},
                            {"gradle", "test"},
                            {"gradlew", "test"},
                            {"make", "test"},
                            {"make", "check"},
                            {"uv", "run", "pytest"},
                            {"poetry", "run", "pytest"},
                            {"mix", "test"},
                            {"swift", "test"}});
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
  const auto words = plain_words(command);
  if (words.empty()) return Type::command;
  if (deploys(command, words)) return Type::deploy;
  if (merges(command, words)) return Type::merge;
  if (begins_any(words,
                 {{"gh", "pr", "create"}, {"glab", "mr", "create"}, {"hub", "pull-request"}})) {
    return Type::open_pr;
  }
  return tests(command, words) ? Type::run_tests : Type::command;
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
