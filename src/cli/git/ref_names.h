#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::cli::git {

/// Does git take this full name of a ref (git-check-ref-format(1))?
bool is_git_ref(std::string_view name);

/// Names for git, by ours. A name that git refuses, or that would be a file and a
/// folder at once, is changed as little as it takes: a `/` that parts it from a ref of
/// that name, and whatever is refused, becomes `_`, and `-2` and so on is added where
/// that is taken. Of names that stand against each other the shortest keeps its own.
/// The same names always give the same.
std::map<std::string, std::string> git_names(std::vector<std::string> refs);

}  // namespace spoor::cli::git
