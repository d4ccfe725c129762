#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/head.h"
#include "api/printed_ids.h"
#include "api/view.h"
#include "graph/repository.h"

namespace spoor::api {

using graph::Repository;
using store::Oid;

/// An opened store with its HEAD. HEAD, the position before it and the operations that moved it are
/// facts of this copy of the store (Store::local), not refs: they are not in the operation log, and
/// other readers never see them. For one thread.
class Workspace {
 public:
  /// `folder` is the folder that the store is used from, if the store has a HEAD for each folder;
  /// it is empty for a store with one HEAD.
  Workspace(std::unique_ptr<Repository> repository, std::string path, std::string folder = {},
            std::string files = {});

  Repository& repository() { return *repository_; }
  const Repository& repository() const { return *repository_; }
  const store::Reader& reader() const { return repository_->reader(); }
  store::Store& store() { return repository_->store(); }
  const std::string& path() const { return path_; }

  /// The beginning of the names of files about the store that are this machine's alone: `path`, if
  /// the store is a file.
  const std::string& files() const { return files_; }

  /// Returns the position of HEAD. Before the first move it is on `main`; in a store with a HEAD
  /// for each folder, on a branch named like the folder.
  Result<Head> head() const;

  /// Returns the commit of HEAD; nullopt on a branch without commits.
  Result<std::optional<Oid>> head_commit() const;

  /// Returns the commits that gc keeps: those of HEAD and of where HEAD was before, here and in
  /// every other folder that was ever at a commit without a branch.
  Result<std::vector<Oid>> head_commits() const;

  /// Moves HEAD and remembers its last position. The view returns to the present. Code::not_found
  /// if it is to be at a commit that is no longer stored.
  Result<void> set_head(const Head& head);

  /// Does the same as part of an operation: undoing the operation asks head_before().
  Result<void> set_head(const Head& head, const Oid& operation);

  /// Returns where HEAD was before it moved with an operation. Returns nullopt if it did not move,
  /// has moved again since, or that was many such moves ago.
  Result<std::optional<Head>> head_before(const Oid& operation) const;

  /// Returns the last position of HEAD. Returns Code::not_found if it never moved.
  Result<Head> previous_head() const;

  /// Returns the branch of HEAD and keeps it for the folder. Returns Code::invalid if HEAD is
  /// detached: nothing can be written then.
  Result<std::string> branch_for_writing() const;

  /// Returns the commit being viewed, which the interactive session moves (`at`, `next`, …).
  View& view() { return view_; }
  const View& view() const { return view_; }

  /// Returns the revision that a reading command uses if the line names none: HEAD, or the commit
  /// of the view.
  std::string here() const;

  /// Makes listings number the ids they print in `printed`, which must outlive this. Null, the
  /// default: they print no numbers.
  void number_ids_in(PrintedIds* printed) { printed_ = printed; }
  PrintedIds* printed() const { return printed_; }

  /// Finds a branch for the first word of a revision if no ref or commit has that name, or returns
  /// Code::not_found.
  using FindBranch = std::function<Result<std::string>(std::string_view word)>;
  void find_branches_with(FindBranch find) { find_branch_ = std::move(find); }
  Result<std::string> find_branch(std::string_view word) const;

  /// Makes listings end, without an error, as soon as `is_cancelled` returns true.
  void end_listings_when(std::function<bool()> is_cancelled) {
    is_cancelled_ = std::move(is_cancelled);
  }
  bool is_cancelled() const { return is_cancelled_ && is_cancelled_(); }

  /// Returns the commit that a revision names, with this HEAD. With number_ids_in(), @1 is the
  /// first id of the last listing, and suffixes apply: @1~2.
  Result<Oid> resolve(std::string_view revision) const;

  /// Does the same, but returns nullopt for HEAD of a branch without commits.
  Result<std::optional<Oid>> resolve_or_empty(std::string_view revision) const;

  /// Returns the shortest unique name of a commit, 8 digits or more.
  std::string short_id(const Oid& commit) const;

 private:
  Result<void> detach(const Head& from, const Head& to);
  Result<std::optional<Oid>> commit_of(const Head& at) const;
  Result<std::string> without_numbers(std::string_view revision) const;
  Result<std::string> first_branch() const;
  Result<void> take_branch() const;
  std::string key_of(std::string_view fact) const;

  std::unique_ptr<Repository> repository_;
  std::string path_;
  std::string files_;
  std::string folder_;
  View view_;
  PrintedIds* printed_ = nullptr;
  FindBranch find_branch_;
  std::function<bool()> is_cancelled_;
};

}  // namespace spoor::api
