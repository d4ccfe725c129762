#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Recognises git repositories from the files alone, without running a program
/// (gitrepository-layout(5), git-config(1), githooks(5)).
namespace spoor::agent::builtin {

/// Reports whether git treats this folder as a repository's folder, such as `.git` or a bare
/// repository: it contains `HEAD`, and `objects` and `refs` or else `commondir`. git then runs
/// programs named in its `config` and `hooks`.
bool is_git_folder(const std::string& folder);

/// Reports whether it would be one if it contained `name`. Ignores case.
bool makes_git_folder(const std::string& folder, std::string_view name);

/// Returns the files and folders that git runs or reads as settings because of the repository at
/// `folder`: `core.hooksPath`, included files, and programs named by path. `folder` contains `.git`
/// or is a git folder; otherwise the result is empty. Paths are absolute, without symbolic links,
/// and need not exist.
std::vector<std::string> paths_git_runs(const std::string& folder);

}  // namespace spoor::agent::builtin
