#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli::git {

/// Returns true if git accepts this full name of a ref (git-check-ref-format(1)).
bool is_git_ref(std::string_view name);

/// Returns git's name for each of our ref names. Changes a name only if git refuses it, or if it
/// would be a file and a folder at once, and then as little as possible: refused characters become
/// `_`, as does a `/` that follows the name of another ref, and `-2` and so on is added if the
/// result is taken. Of conflicting names, the shortest stays unchanged. The result is
/// deterministic.
std::map<std::string, std::string> git_names(std::vector<std::string> refs);

}  // namespace spoor::cli::git
