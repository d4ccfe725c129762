#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What git takes for a repository, told by the files alone: no program is run
/// (gitrepository-layout(5), git-config(1), githooks(5)).
namespace spoor::agent::builtin {

/// Does git take this folder for the one that holds a repository, such as `.git` or a bare
/// repository? It does wherever there is `HEAD`, with `objects` and `refs` or with `commondir`, and
/// then runs what `config` and `hooks` in it say.
bool is_git_folder(const std::string& folder);

/// Would it be one, were `name` in it? Case of letters is ignored.
bool makes_git_folder(const std::string& folder, std::string_view name);

/// Files and folders that git runs or reads as settings because the repository at `folder` says so:
/// `core.hooksPath`, files that are included, and programs that are named by their paths. `folder`
/// has `.git` in it or is a git folder; nothing otherwise. Absolute, without symbolic links,
/// whether they are there or not.
std::vector<std::string> paths_git_runs(const std::string& folder);

}  // namespace spoor::agent::builtin
