#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/git/pack.h"

namespace spoor::cli::git {

/// The folders and files of one commit. A value: a copy is as quick as it is long at
/// the top, for copies share what neither has changed since, and only what changed is
/// written.
class Tree {
 public:
  /// Puts a file at `path` (names parted by `/`, none of them empty).
  void put(std::string_view path, const GitOid& blob);

  /// Takes away the files in `folder` whose names begin with `prefix`; folders that
  /// are empty then go too.
  void remove(std::string_view folder, std::string_view prefix);

  bool empty() const { return children_.empty(); }

  /// Writes the trees that changed, and names the whole.
  Result<GitOid> write(PackWriter& pack);

 private:
  struct Child {
    GitOid oid;                    // Of a file, or of a folder that did not change.
    std::shared_ptr<Tree> folder;  // Null for a file. Shared by copies: see own().
    bool is_changed = false;
  };

  Tree& own(Child& child) const;

  std::map<std::string, Child, std::less<>> children_;  // Folders with their `/`: git's order.
};

}  // namespace spoor::cli::git
