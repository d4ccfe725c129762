#pragma once

#include <optional>
#include <string>

namespace spoor::cli::git {

/// A folder that git keeps, as its own files say.
struct WorkTree {
  std::string folder;  ///< the one with `.git` in it, absolute
  std::string branch;  ///< that is checked out; empty: none is, or it could not be read

  bool operator==(const WorkTree&) const = default;
};

/// The work tree that `folder` (absolute) lies in: it, or the nearest one above it that has a
/// `.git`, a folder or a file that names one (gitrepository-layout(5)). Git itself is not run, and
/// of the files only HEAD is read. Nothing where there is none, or it cannot be looked at.
std::optional<WorkTree> find_work_tree(const std::string& folder);

}  // namespace spoor::cli::git
