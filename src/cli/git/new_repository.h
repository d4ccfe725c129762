#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/error.h"
#include "cli/git/git_oid.h"

namespace spoor::cli::git {

/// What a ref of a git repository names.
struct RefTarget {
  GitOid oid;                    ///< a commit, or a tag object
  std::optional<GitOid> peeled;  ///< the commit behind a tag object
};

/// A bare git repository that is being written: beside the folder it shall be, whose
/// name it takes when it is whole. Until then it goes, with all that is in it, when
/// this does.
class NewRepository {
 public:
  /// Code::conflict when something is at `path` that is no empty folder, Code::not_found
  /// when the folder it shall lie in is not there, Code::io.
  static Result<NewRepository> open(const std::string& path);
  ~NewRepository();
  NewRepository(NewRepository&& other) noexcept;
  NewRepository& operator=(NewRepository&&) = delete;

  /// Where packs go.
  std::string pack_folder() const { return draft_ + "/objects/pack"; }

  /// Writes refs (full names) and HEAD: `ref: refs/heads/…` or 40 digits. Then the
  /// repository is where it shall be.
  Result<void> finish(const std::map<std::string, RefTarget>& refs, const std::string& head);

 private:
  NewRepository(std::string path, std::string draft)
      : path_(std::move(path)), draft_(std::move(draft)) {}
  Result<void> make_folders();

  std::string path_;
  std::string draft_;  // Empty: there is nothing to take away.
};

}  // namespace spoor::cli::git
