#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compile/part_fold.h"
#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// Folds histories into states and caches the newest few in the process.
///
/// The result depends only on the commit; the cache affects only the time. Updating a state takes
/// time proportional to the new commits; an older state is folded from the nearest cached one.
/// Threads that need the same commits share one fold. A fold that fails keeps the state it reached.
/// Safe to call from any thread; returned states never change.
class Folder {
 public:
  /// `reader` must outlive the folder, as must `index`, which may be null: then part_at() is at().
  explicit Folder(const store::Reader& reader, const LineIndex* index = nullptr)
      : reader_(reader), index_(index) {}

  /// Returns the state at `commit`. Code::corrupt if the history is inconsistent (a directive whose
  /// target is not an entry), and the reader's errors. If no commit of the history is folded yet,
  /// the reader caches up to `contents` bytes of its contents, which the caller will read next.
  Result<std::shared_ptr<const State>> at(const Oid& commit, std::size_t contents = 0) const;

  /// Returns a state at `commit` that has at least the entries that `options` name and those that
  /// every partial state has (part_fold.h): a complete one if it is cached, if the history is short
  /// or if a partial one will not do. Partial states are not cached. Errors as at().
  Result<std::shared_ptr<const State>> part_at(const Oid& commit, const PartOptions& options) const;

  /// Keeps in the store what part_at() needs of a long history, which it else does when it is asked
  /// first: for who has just written one. Returns the reader's errors.
  Result<void> prepare(const Oid& commit) const;

  /// Drops all cached states.
  void drop() const;

 private:
  bool has_index(const store::Commit& tip) const;

  struct CachedState {
    Oid commit;
    std::shared_ptr<State> state;
  };
  // A fold in progress. Others wait for it. A fold waits only for folds of older commits, so never
  // in a circle.
  struct Flight {
    Oid commit;
    bool is_done = false;
    std::shared_ptr<const State> state;  // Null while in progress, and after an error.
  };
  // Removes a flight from the list, whether it succeeded or not.
  class FlightGuard;

  Result<std::shared_ptr<const State>> fold(const Oid& commit, std::size_t contents) const;
  Result<std::shared_ptr<const State>> fold_long(const Oid& commit) const;
  Result<std::shared_ptr<const State>> fold_graph(const Oid& commit) const;
  std::optional<store::NamedCommit> base_of(const store::NamedCommit& tip) const;
  std::shared_ptr<Flight> flight_of(const Oid& commit) const;
  std::vector<Oid> known_commits(const Oid& but) const;
  std::shared_ptr<State> borrow(const Oid& commit, bool may_take) const;
  void keep(const Oid& commit, std::shared_ptr<State> state) const;

  const store::Reader& reader_;
  const LineIndex* index_;  // May be null.
  mutable std::mutex mutex_;
  mutable std::condition_variable landed_;
  mutable std::vector<CachedState> cached_;  // Guarded by mutex_. Most recently used last.
  mutable std::vector<std::shared_ptr<Flight>> flights_;  // Guarded by mutex_, and each of them.
};

/// Returns the targets of `commit`: its `target` lines, or the list in `targets`.
Result<std::vector<Oid>> targets_of(const store::Reader& reader, const Commit& commit);

}  // namespace spoor::compile
