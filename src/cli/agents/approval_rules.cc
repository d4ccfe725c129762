#include "cli/agents/approval_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/words.h"
#include "store/writer_lock.h"

namespace spoor::cli {
namespace {

constexpr unsigned kMode = 0600;
constexpr std::size_t kLongest = 200;  // A person reads the whole of an offered rule.

// The first part of a command that does not run in the root: the same words mean another program.
const std::string kIn = "in:";

// Programs whose first word selects what they do.
constexpr std::array<std::string_view, 29> kHasSubcommands = {
    "git",     "jj",   "hg",     "svn",  "gh",  "cargo",   "go",     "npm",    "pnpm",  "yarn",
    "bun",     "deno", "dotnet", "mvn",  "pip", "poetry",  "uv",     "docker", "zig",   "podman",
    "kubectl", "helm", "bazel",  "ruff", "apt", "flutter", "gradle", "bundle", "spoor",
};
// Subcommands that run what the next word names, and words that run any program.
constexpr std::array<std::string_view, 6> kRunsNext = {"run", "exec", "task", "x", "dlx", "tool"};
// Subcommands of git whose next word says what they do; after others it is a path or a revision.
constexpr std::array<std::string_view, 11> kGroupsOfGit = {
    "stash",  "submodule", "bisect", "remote",          "worktree",    "notes",
    "reflog", "bundle",    "lfs",    "sparse-checkout", "maintenance",
};
// Subcommands whose arguments may do anything: a shell's command, a setting that names a program.
constexpr std::array<std::string_view, 6> kDoesAnything = {"api",  "alias", "config",
                                                           "eval", "shell", "foreach"};
constexpr std::array<std::string_view, 3> kRunsInside = {"docker", "podman", "kubectl"};
constexpr std::array<std::string_view, 12> kRunsAnything = {
    "sh",      "bash", "zsh",  "dash", "env",  "python",
    "python3", "node", "perl", "ruby", "sudo", "xargs",
};

// Built-in tools whose calls are about a path, or an address.
constexpr std::array<std::string_view, 7> kAboutPath = {
    "read_file", "write_file", "edit_file", "patch_file", "list", "glob", "grep"};
constexpr std::string_view kAboutUrl = "http_get";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns a path as it is below the root, with links resolved.
std::vector<std::string> parts_of_path(const std::string& root, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path folder = fs::weakly_canonical(root, problem);
  if (problem) return {"", path};
  const fs::path whole = fs::weakly_canonical(folder / path, problem);
  if (problem) return {"", path};
  std::vector<std::string> parts;
  for (const fs::path& part : whole.lexically_relative(folder)) {
    if (part == "..") return {"", whole.string()};
    if (part != "." && !part.empty()) parts.push_back(part.string());
  }
  return parts;
}

std::string_view name_of_program(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_option(std::string_view word) { return word.starts_with('-'); }

bool is_command_tool(std::string_view tool) {
  return tool == "run_command" || tool == "start_command";
}

// `diff`, `run-tests`: a word that selects what a program does.
bool is_subcommand(std::string_view word) {
  return !word.empty() && word.front() != '-' && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
  });
}

// Returns how many words of a command a rule for commands like it has: the program, its subcommand
// (of two words, as in `git stash list`, if the second looks like one), what that runs, and all
// options. 0 if such a rule would allow anything.
std::size_t words_of_rule(const std::vector<std::string>& words) {
  if (words.size() < 2 || !is_in(kHasSubcommands, words[0]) || !is_subcommand(words[1])) return 0;
  std::size_t count = 2;
  const bool may_have_two =
      words[0] == "git" ? is_in(kGroupsOfGit, words[1]) : !is_in(kRunsNext, words[1]);
  if (may_have_two && words.size() > 2 && is_subcommand(words[2])) count = 3;
  if (is_in(kDoesAnything, words[1]) || is_in(kDoesAnything, words[count - 1])) return 0;
  if (is_in(kRunsNext, words[count - 1])) {
    if (is_in(kRunsInside, words[0]) || words.size() <= count || is_option(words[count])) return 0;
    if (is_in(kRunsAnything, name_of_program(words[count]))) return 0;
    ++count;
  }
  for (std::size_t i = count; i < words.size(); ++i) {
    if (is_option(words[i])) count = i + 1;
  }
  return count;
}

std::string shown(std::string_view word) {
  const bool is_plain =
      !word.empty() && word.find_first_of(" \t\n'\"\\$`*") == std::string_view::npos;
  return is_plain ? std::string(word) : json::write_string(word);
}

std::string write_rule(const ApprovalRule& rule) {
  json::Object object;
  object.add_string("root", rule.root);
  object.add_string("tool", rule.tool);
  if (!rule.parts.empty()) {
    object.add_json(rule.is_front ? "begins" : "is", json::write_strings(rule.parts));
  }
  object.add_json("allow", rule.allows ? "true" : "false");
  return object.write();
}

std::optional<ApprovalRule> rule_in(const json::Value& value) {
  ApprovalRule rule{.root = value.find("root").text(), .tool = value.find("tool").text()};
  const json::Value allow = value.find("allow");
  const json::Value begins = value.find("begins");
  const json::Value is = value.find("is");
  if (rule.root.empty() || rule.tool.empty() || (!allow.is_true() && allow.raw() != "false")) {
    return std::nullopt;
  }
  const json::Value parts = begins ? begins : is;
  if ((begins && is) || (parts && !parts.is_array())) return std::nullopt;
  for (const json::Value part : parts.elements()) {
    if (!part.is_string()) return std::nullopt;
    rule.parts.push_back(part.text());
  }
  if (parts && rule.parts.empty()) return std::nullopt;
  while (rule.root.size() > 1 && rule.root.ends_with('/')) rule.root.pop_back();
  rule.is_front = static_cast<bool>(begins);
  rule.allows = allow.is_true();
  return rule;
}

}  // namespace

std::vector<std::string> parts_of_call(const std::string& root, std::string_view tool,
                                       std::string_view arguments) {
  const auto document = json::parse(arguments);
  if (!document) return {};
  const json::Value given = document->root();
  if (is_command_tool(tool)) {
    std::vector<std::string> words;
    std::string folder;
    for (const std::string& part : parts_of_path(root, given.find("cwd").text())) {
      folder += '/' + part;
    }
    if (!folder.empty()) words.push_back(kIn + folder.substr(1));
    for (const json::Value word : given.find("argv").elements()) words.push_back(word.text());
    return words;
  }
  if (is_in(kAboutPath, tool)) {
    const json::Value path = given.find("path");
    return path.is_string() ? parts_of_path(root, path.text()) : std::vector<std::string>();
  }
  if (tool == kAboutUrl) {
    const json::Value url = given.find("url");
    return url.is_string() ? split(url.text(), '/') : std::vector<std::string>();
  }
  const auto whole = json::canonical(arguments);
  return whole ? std::vector<std::string>{*whole} : std::vector<std::string>();
}

bool ApprovalRule::meets(std::string_view tool_id, std::vector<std::string> call) const {
  if (tool != tool_id) return false;
  if (parts.empty()) return true;
  const bool is_command = is_command_tool(tool);
  // A folder is not a file in it, but a program without arguments is that program.
  const std::size_t least = parts.size() + (is_front && !is_command ? 1 : 0);
  const auto compare = [&] {
    if (call.size() < least || (!is_front && call.size() > least)) return false;
    if (!std::equal(parts.begin(), parts.end(), call.begin())) return false;
    // An option may turn a harmless command into another one.
    return !allows || !is_command ||
           std::none_of(call.begin() + static_cast<std::ptrdiff_t>(parts.size()), call.end(),
                        is_option);
  };
  if (compare()) return true;
  if (allows || !is_command) return false;
  // A refusal holds wherever the program is found and wherever it runs.
  if (!call.empty() && call[0].starts_with(kIn)) call.erase(call.begin());
  if (compare()) return true;
  if (call.empty()) return false;
  call[0] = std::string(name_of_program(call[0]));
  return compare();
}

std::string ApprovalRule::text() const {
  std::string line = tool;
  const char between = is_command_tool(tool) ? ' ' : '/';
  for (std::size_t i = 0; i < parts.size(); ++i) {
    line += i == 0 ? ' ' : between;
    line += is_command_tool(tool) ? shown(parts[i]) : parts[i];
  }
  if (is_front) line += std::string(1, between) + "…";
  return line;
}

std::optional<ApprovalRule> offered_rule(const std::string& root, std::string_view tool,
                                         std::string_view arguments) {
  ApprovalRule rule{.root = root,
                    .tool = std::string(tool),
                    .parts = parts_of_call(root, tool, arguments),
                    .allows = true};
  std::vector<std::string>& parts = rule.parts;
  if (parts.empty()) return std::nullopt;
  if (is_command_tool(tool)) {
    const std::size_t words = words_of_rule(parts);
    rule.is_front = words > 0;
    if (rule.is_front) parts.resize(words);
  } else if (tool == kAboutUrl) {  // `https:`, an empty part, the host.
    rule.is_front = parts.size() > 3;
    if (rule.is_front) parts.resize(3);
  } else if (is_in(kAboutPath, tool) && parts.size() > 1 && !parts[0].empty()) {
    rule.is_front = true;
    parts.pop_back();
  }
  if (rule.text().size() > kLongest) return std::nullopt;
  return rule;
}

ApprovalRules::ApprovalRules(const Environment& environment) {
  const std::string home = state_home(environment);
  if (!home.empty()) path_ = home + "/approvals.json";
}

Result<std::vector<ApprovalRule>> ApprovalRules::read() const {
  std::vector<ApprovalRule> rules;
  if (path_.empty()) return rules;
  const auto text = TRY(read_file(path_));
  if (!text) return rules;
  const auto wrong = [&](std::string_view what) {
    return invalid(fmt::format("'{}' {}", path_, what),
                   "mend it, or remove it to be asked about each call");
  };
  const auto document = json::parse(*text);
  if (!document || !document->root().is_array()) return wrong("is not a JSON array of rules");
  for (const json::Value value : document->root().elements()) {
    auto rule = rule_in(value);
    if (!rule) return wrong(fmt::format("has a wrong rule: {}", value.raw().substr(0, 200)));
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<std::optional<ApprovalRule>> ApprovalRules::find(std::string_view root,
                                                        std::string_view tool,
                                                        std::string_view arguments) const {
  std::optional<ApprovalRule> found;
  std::vector<ApprovalRule> rules = TRY(read());
  std::erase_if(rules, [&](const ApprovalRule& rule) { return rule.root != root; });
  if (rules.empty()) return found;
  const std::vector<std::string> call = parts_of_call(rules.front().root, tool, arguments);
  for (ApprovalRule& rule : rules) {
    if (!rule.meets(tool, call)) continue;
    if (!rule.allows) return std::optional(std::move(rule));
    if (!found) found = std::move(rule);
  }
  return found;
}

Result<void> ApprovalRules::keep(const ApprovalRule& rule) const {
  if (path_.empty()) return not_found("no home folder to keep a rule in", "set XDG_STATE_HOME");
  TRY(make_folder(std::filesystem::path(path_).parent_path().string()));
  store::WriterLock lock(path_ + "-lock", kMode);  // Another session may keep one, too.
  const auto hold = TRY(lock.take());
  std::vector<ApprovalRule> rules = TRY(read());
  if (std::find(rules.begin(), rules.end(), rule) != rules.end()) return {};
  rules.push_back(rule);
  std::string text;
  for (const ApprovalRule& one : rules) {
    text += text.empty() ? "[\n  " : ",\n  ";
    text += write_rule(one);
  }
  return write_file(path_, text + "\n]\n", kMode);
}

}  // namespace spoor::cli
