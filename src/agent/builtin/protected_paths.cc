#include "agent/builtin/protected_paths.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/builtin/folder_walk.h"
#include "agent/builtin/glob.h"
#include "store/text.h"

namespace spoor::agent::builtin {
namespace {

// One component each, at any depth; of a folder, all that is in it.
constexpr std::array<std::string_view, 70> kNames = {
    // Version control and its hooks.
    ".git", "*.git", ".hg", ".svn", ".jj", ".gitmodules", ".gitconfig", ".githooks", ".husky",
    ".lefthook", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".pre-commit-config.yaml",
    // CI.
    ".gitlab-ci.yml", ".circleci", ".buildkite", ".travis.yml", ".drone.yml", ".woodpecker",
    ".woodpecker.yml", ".teamcity", ".cirrus.yml", "appveyor.yml", ".appveyor.yml",
    "azure-pipelines.yml", "bitbucket-pipelines.yml", "cloudbuild.yaml", "jenkinsfile",
    "jenkinsfile.*", "*.jenkinsfile",
    // Shells, and what they start.
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc",
    ".tcshrc", ".login", ".inputrc", ".envrc", ".direnv", ".xprofile", ".xinitrc", ".xsession",
    ".ssh",
    // Editors.
    ".vscode", ".idea", ".fleet", ".zed", ".devcontainer", "*.code-workspace", "*.sublime-project",
    ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
    // Agents.
    ".claude", ".cursor", ".codex", ".mcp.json"};

// Two components that follow one another.
constexpr std::array<std::array<std::string_view, 2>, 9> kPairs = {{{".github", "workflows"},
                                                                    {".github", "actions"},
                                                                    {".gitea", "workflows"},
                                                                    {".forgejo", "workflows"},
                                                                    {".config", "fish"},
                                                                    {".config", "git"},
                                                                    {".config", "systemd"},
                                                                    {".config", "autostart"},
                                                                    {".config", "environment.d"}}};

// Folders that tools make and remove as a whole, with the files of others in them.
constexpr std::array<std::string_view, 9> kMade = {
    "node_modules", "build", "target", "vendor", "dist", "_deps", "venv", ".venv", "site-packages"};

bool is_protected_name(std::string_view name) {
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view pattern) { return matches_glob(pattern, name); });
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder.empty());
}

}  // namespace

ProtectedPaths::ProtectedPaths(const std::vector<std::string>& allowed) {
  for (std::string path : allowed) {
    while (path.starts_with("./")) path.erase(0, 2);
    while (path.ends_with('/')) path.pop_back();
    if (path == ".") path.clear();
    allowed_.push_back(store::lowered(path));
  }
}

bool ProtectedPaths::has(std::string_view path) const {
  const std::string lower = store::lowered(path);
  if (is_allowed(lower)) return false;
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

store::Result<std::vector<std::string>> ProtectedPaths::present(Descriptor root,
                                                                const Deadline& deadline) const {
  std::vector<std::string> found;
  std::size_t looked_at = 0;
  TRY(walk_folder(std::move(root), "", deadline, [&](const Entry& entry) {
    if (++looked_at > kMostLookedAt) return Entry::Step::end;
    if (entry.kind != Entry::Kind::file && entry.kind != Entry::Kind::folder) {
      return Entry::Step::go_on;
    }
    if (has(entry.path) && !has_allowed_below(store::lowered(entry.path))) {
      found.emplace_back(entry.path);
      return Entry::Step::skip;
    }
    const bool is_made = std::find(kMade.begin(), kMade.end(), entry.name) != kMade.end();
    return entry.depth < kDepth && !is_made ? Entry::Step::go_on : Entry::Step::skip;
  }));
  return found;
}

store::Error ProtectedPaths::refusal(std::string_view path) {
  return store::denied(fmt::format("'{}' is write-protected: programs run what it says", path),
                       "only the user can allow it, with --allow-write");
}

bool ProtectedPaths::is_allowed(std::string_view path) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const std::string& allowed) { return is_at_or_below(path, allowed); });
}

bool ProtectedPaths::has_allowed_below(std::string_view path) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const std::string& allowed) { return is_at_or_below(allowed, path); });
}

}  // namespace spoor::agent::builtin
