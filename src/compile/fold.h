#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compile/state.h"
#include "store/reader.h"

namespace spoor::compile {

/// Folds histories into states, and keeps the newest few in the process.
///
/// A pure function of the commit: what the cache holds changes only how long it
/// takes. Bringing a state up to date costs the commits since; asking for an
/// older one folds again from the nearest state that is kept. Threads that need the
/// same commits share one fold of them, and one that fails keeps what it reached.
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
  // A fold under way. Others wait for it, and for older ones only: never in a circle.
  struct Flight {
    Oid commit;
    bool is_done = false;
    std::shared_ptr<const State> state;  // Null while under way, and when it failed.
  };
  // Takes a flight off the list, whatever became of it.
  class Landing;

  Result<std::shared_ptr<const State>> fold(const Oid& commit) const;
  Result<std::shared_ptr<const State>> fold_long(const Oid& commit) const;
  Result<std::shared_ptr<const State>> fold_graph(const Oid& commit) const;
  std::optional<store::NamedCommit> base_of(const store::NamedCommit& tip) const;
  std::shared_ptr<Flight> flight_of(const Oid& commit) const;
  std::vector<Oid> known_commits(const Oid& but) const;
  std::shared_ptr<State> borrow(const Oid& commit, bool may_take) const;
  void keep(const Oid& commit, std::shared_ptr<State> state) const;

  const store::Reader& reader_;
  mutable std::mutex mutex_;
  mutable std::condition_variable landed_;
  mutable std::vector<Kept> kept_;  // Guarded by mutex_. Most recently used last.
  mutable std::vector<std::shared_ptr<Flight>> flights_;  // Guarded by mutex_, and each of them.
};

/// The names that `commit` applies to: its `target` lines, or what `targets` lists.
Result<std::vector<Oid>> targets_of(const store::Reader& reader, const Commit& commit);

}  // namespace spoor::compile
