#pragma once

#include <optional>
#include <string>

namespace spoor::cli::git {

/// A git work tree, according to its own files.
struct WorkTree {
  std::string folder;  ///< the folder that contains `.git`, absolute
  std::string branch;  ///< the branch checked out; empty: none, or unreadable

  bool operator==(const WorkTree&) const = default;
};

/// Returns the work tree that contains `folder` (absolute): the folder itself, or the nearest
/// parent with a `.git`, either a folder or a file that names one (gitrepository-layout(5)). Does
/// not run git; the only ref file it reads is HEAD. Returns nullopt if there is none, or if it
/// cannot be read.
std::optional<WorkTree> find_work_tree(const std::string& folder);

}  // namespace spoor::cli::git
