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

/// An opened store, and HEAD in it. HEAD, the position before it and the operations that
/// it moved along with are facts of this copy of the store (Store::local), no refs: they
/// are not in the operation log, and other readers never see them. For one thread.
class Workspace {
 public:
  /// `folder`: the one that the store is used from, where each has a HEAD of its own in it; empty
  /// for a store with one.
  Workspace(std::unique_ptr<Repository> repository, std::string path, std::string folder = {});

  Repository& repository() { return *repository_; }
  const Repository& repository() const { return *repository_; }
  const store::Reader& reader() const { return repository_->reader(); }
  store::Store& store() { return repository_->store(); }
  const std::string& path() const { return path_; }

  /// Where HEAD is. Where nobody moved it yet it is on `main`; in a store with a HEAD for each
  /// folder, on a branch that is called like the folder.
  Result<Head> head() const;

  /// The commit HEAD leads to; nothing on a branch without commits.
  Result<std::optional<Oid>> head_commit() const;

  /// Moves HEAD and remembers where it was. The view returns to the present.
  Result<void> set_head(const Head& head);

  /// The same along with an operation: whoever takes that back asks head_before().
  Result<void> set_head(const Head& head, const Oid& operation);

  /// Where HEAD was before it moved along with an operation. Nothing when it did not, has
  /// moved on since, or that was many such moves ago.
  Result<std::optional<Head>> head_before(const Oid& operation) const;

  /// Where HEAD was before. Code::not_found when it never moved.
  Result<Head> previous_head() const;

  /// The branch HEAD is on; the folder keeps it. Code::invalid when it is detached: nothing is
  /// written there.
  Result<std::string> branch_for_writing() const;

  /// Where one looks, which the interactive session moves (`at`, `next`, …).
  View& view() { return view_; }
  const View& view() const { return view_; }

  /// The revision that a reading command means when the line names none: HEAD, or
  /// the commit that the view stands on.
  std::string here() const;

  /// Listings number the ids they print in `printed`, which must live as long as
  /// this does; null, as at first: they do not.
  void number_ids_in(PrintedIds* printed) { printed_ = printed; }
  PrintedIds* printed() const { return printed_; }

  /// Where no ref or commit has the first word of a revision, `find` may know a branch for it, or
  /// return Code::not_found.
  using FindBranch = std::function<Result<std::string>(std::string_view word)>;
  void find_branches_with(FindBranch find) { find_branch_ = std::move(find); }
  Result<std::string> find_branch(std::string_view word) const;

  /// The commit a revision names, HEAD being this HEAD. With number_ids_in(), @1
  /// is the first id of the last listing, and @1~2 goes on from there.
  Result<Oid> resolve(std::string_view revision) const;

  /// The same, but nothing for HEAD of a branch without commits.
  Result<std::optional<Oid>> resolve_or_empty(std::string_view revision) const;

  /// The shortest unique name of a commit, 8 digits or more.
  std::string short_id(const Oid& commit) const;

 private:
  Result<std::string> without_numbers(std::string_view revision) const;
  Result<std::string> first_branch() const;
  std::string key_of(std::string_view fact) const;

  std::unique_ptr<Repository> repository_;
  std::string path_;
  std::string folder_;
  View view_;
  PrintedIds* printed_ = nullptr;
  FindBranch find_branch_;
};

}  // namespace spoor::api
