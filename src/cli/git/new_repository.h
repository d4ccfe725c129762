#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/error.h"
#include "cli/git/git_oid.h"

namespace spoor::cli::git {

/// The target of a ref in a git repository.
struct RefTarget {
  GitOid oid;                    ///< a commit, or a tag object
  std::optional<GitOid> peeled;  ///< the commit that a tag object names
};

/// A bare git repository being written, in a draft folder next to its final path. finish() renames
/// the draft to that path. Until then, the destructor removes the draft.
class NewRepository {
 public:
  /// Returns Code::conflict if `path` exists and is not an empty folder, Code::not_found if its
  /// parent folder does not exist, or Code::io.
  static Result<NewRepository> open(const std::string& path);
  ~NewRepository();
  NewRepository(NewRepository&& other) noexcept;
  NewRepository& operator=(NewRepository&&) = delete;

  /// Returns the folder for packs.
  std::string pack_folder() const { return draft_ + "/objects/pack"; }

  /// Writes refs (full names) and HEAD, `ref: refs/heads/…` or 40 digits, then moves the repository
  /// to its final path.
  Result<void> finish(const std::map<std::string, RefTarget>& refs, const std::string& head);

 private:
  NewRepository(std::string path, std::string draft)
      : path_(std::move(path)), draft_(std::move(draft)) {}
  Result<void> make_folders();

  std::string path_;
  std::string draft_;  // Empty: nothing to remove.
};

}  // namespace spoor::cli::git
