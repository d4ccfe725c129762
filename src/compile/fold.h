#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// Folds histories into states, and keeps the newest few in the process.
///
/// A pure function of the commit: what the cache holds changes only how long it
/// takes. Bringing a state up to date costs the commits since; asking for an
/// older one folds again from the nearest state that is kept.
/// Safe to call from any thread; the states handed out never change.
class Folder {
 public:
  /// `reader` must outlive the folder.
  explicit Folder(const store::Reader& reader) : reader_(reader) {}

  /// The state at `commit`. Code::corrupt when the history contradicts itself
  /// (a directive that names what is no entry), else as the reader says.
  Result<std::shared_ptr<const State>> at(const Oid& commit) const;

  /// Forgets every state.
  void drop() const;

 private:
  struct Kept {
    Oid commit;
    std::shared_ptr<State> state;
  };
  Result<std::shared_ptr<const State>> fold_graph(const Oid& commit) const;
  std::vector<Oid> kept_commits() const;
  std::shared_ptr<State> copy_of(const Oid& commit) const;
  std::shared_ptr<State> take(const Oid& commit) const;
  void keep(const Oid& commit, std::shared_ptr<State> state) const;

  const store::Reader& reader_;
  mutable std::mutex mutex_;
  mutable std::vector<Kept> kept_;  // Guarded by mutex_. Most recently used last.
};

/// The names that `commit` applies to: its `target` lines, or what `targets` lists.
Result<std::vector<Oid>> targets_of(const store::Reader& reader, const Commit& commit);

}  // namespace spoor::compile
