#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/git/pack.h"

namespace spoor::cli::git {

/// The folders and files of one commit. A value: a copy costs as much as its top level is long,
/// because copies share unchanged folders, and only changed folders are written.
class Tree {
 public:
  /// Puts a file at `path` (names separated by `/`, none of them empty).
  void put(std::string_view path, const GitOid& blob);

  /// Removes the files in `folder` whose names begin with `prefix`, and the folders that become
  /// empty.
  void remove(std::string_view folder, std::string_view prefix);

  bool empty() const { return children_.empty(); }

  /// Writes the trees that changed, and returns the name of the root tree.
  Result<GitOid> write(PackWriter& pack);

 private:
  struct Child {
    GitOid oid;                    // A file's, or that of an unchanged folder.
    std::shared_ptr<Tree> folder;  // Null for a file. Shared by copies: see own().
    bool is_changed = false;
  };

  Tree& own(Child& child) const;

  std::map<std::string, Child, std::less<>> children_;  // Folders with their `/`, in git's order.
};

}  // namespace spoor::cli::git
