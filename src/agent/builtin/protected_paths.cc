#include "agent/builtin/protected_paths.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>

#include "agent/builtin/glob.h"
#include "base/text.h"

namespace spoor::agent::builtin {
namespace {

// Single components, at any depth; a folder includes its contents.
const std::unordered_set<std::string_view>& names() {
  static const std::unordered_set<std::string_view> all = {
      // Version control and its hooks.
      ".git", ".hg", ".svn", ".jj", ".bzr", ".sl", ".pijul", ".fslckout", "_fossil_", ".gitmodules",
      ".gitconfig", ".hgrc", ".githooks", ".husky", ".lefthook", ".pre-commit-config.yaml",
      ".pre-commit-config.yml", ".overcommit.yml",
      // CI.
      ".gitlab-ci.yml", ".circleci", "circle.yml", ".buildkite", ".travis.yml", ".woodpecker",
      ".teamcity", ".cirrus.yml", ".cirrus.star", "appveyor.yml", ".appveyor.yml",
      "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml", "cloudbuild.yaml",
      "cloudbuild.yml", "buildspec.yml", "jenkinsfile", ".builds", ".build.yml", ".semaphore",
      ".tekton", "bitrise.yml", "codemagic.yaml", "codefresh.yml", "wercker.yml", ".gitpod.yml",
      ".gitpod.dockerfile",
      // Shells, and programs that they start.
      ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
      ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc",
      ".tcshrc", ".login", ".inputrc", ".envrc", ".direnv", ".mise", "mise.toml", ".rtx.toml",
      ".xprofile", ".xinitrc", ".xsession", ".ssh", ".gdbinit", ".gdbearlyinit", ".lldbinit",
      // Editors.
      ".vscode", ".idea", ".run", ".fleet", ".zed", ".helix", ".devcontainer", ".devcontainer.json",
      ".vim", ".vimrc", ".gvimrc", ".lvimrc", ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".emacs.d",
      ".dir-locals.el", ".dir-locals-2.el",
      // Agents.
      ".claude", ".cursor", ".codex", ".gemini", ".qwen", ".kiro", ".roo", ".windsurf", ".cline",
      ".continue", ".amazonq", ".junie", ".opencode", "opencode.json", "opencode.jsonc",
      ".aider.conf.yml", ".aider.conf.yaml", ".mcp.json"};
  return all;
}

constexpr auto kPatterns = std::to_array<std::string_view>(
    {"*.git", "lefthook.*", ".lefthook.*", "lefthook-local.*", ".lefthook-local.*",
     "simple-git-hooks.*", ".simple-git-hooks.*", ".drone.*", ".woodpecker.*", "jenkinsfile.*",
     "*.jenkinsfile", "mise.*.toml", ".mise.*", "*.code-workspace", "*.sublime-project"});

// Two consecutive components.
constexpr auto kPairs = std::to_array<std::array<std::string_view, 2>>(
    {{".github", "workflows"},
     {".github", "actions"},
     {".gitea", "workflows"},
     {".forgejo", "workflows"},
     {".config", "fish"},
     {".config", "git"},
     {".config", "hg"},
     {".config", "mise"},
     {".config", "nvim"},
     {".config", "emacs"},
     {".config", "systemd"},
     {".config", "autostart"},
     {".config", "environment.d"},
     {".config", "spoor"},
     {"share", "spoor"}});  // Below .local: the list of trusted stores.

bool is_protected_name(std::string_view name) {
  return names().count(name) != 0 ||
         std::any_of(kPatterns.begin(), kPatterns.end(),
                     [&](std::string_view pattern) { return matches_glob(pattern, name); });
}

}  // namespace

ProtectedPaths::ProtectedPaths(const std::vector<std::string>& allowed) {
  for (std::string path : allowed) {
    while (path.starts_with("./")) path.erase(0, 2);
    while (path.ends_with('/')) path.pop_back();
    if (path == ".") path.clear();
    allowed_.push_back(lowered(path));
  }
}

bool ProtectedPaths::has(std::string_view path) const {
  if (allows(path)) return false;
  const std::string lower = lowered(path);
  std::string_view rest = lower;
  std::string_view before;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (is_protected_name(name)) return true;
    for (const auto& pair : kPairs) {
      if (before == pair[0] && name == pair[1]) return true;
    }
    before = name;
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return false;
}

Error ProtectedPaths::refusal(std::string_view path) {
  return denied(fmt::format("'{}' is write-protected: programs run what it says", path),
                "only the user can allow it, with --allow-write");
}

bool ProtectedPaths::allows(std::string_view path) const {
  const std::string lower = lowered(path);
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const std::string& allowed) { return is_at_or_below(lower, allowed); });
}

bool ProtectedPaths::allows_below(std::string_view path) const {
  const std::string lower = lowered(path);
  return std::any_of(allowed_.begin(), allowed_.end(), [&](const std::string& allowed) {
    return is_at_or_below(allowed, lower) || is_at_or_below(lower, allowed);
  });
}

}  // namespace spoor::agent::builtin
