#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// The parameters of find_garbage().
struct GcOptions {
  /// Returns what is kept with all that it needs, in addition to the refs: HEAD. Called twice, the
  /// second time while no other writer can commit.
  std::function<Result<std::vector<Oid>>()> roots = {};
  Timestamp keep_since;  ///< operations at or after this time keep the objects that they name
  std::string actor;     ///< of the checkpoint, if the log is folded
  /// Called from time to time with the number of objects read so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Polled; gc returns Code::interrupted soon after it returns true.
  std::function<bool()> is_cancelled = {};
};

/// The objects that nothing needs.
struct Garbage {
  std::vector<Oid> commits;  ///< children before their parents
  std::array<std::uint64_t, kKinds.size()>
      objects{};                 ///< number to remove by Kind, including commits
  std::uint64_t bytes = 0;       ///< of all bodies to remove
  std::uint64_t kept = 0;        ///< number of objects that stay
  std::uint64_t operations = 0;  ///< operations to replace with one checkpoint; 0: none
  Sweep sweep;                   ///< for Store::sweep

  std::uint64_t object_count() const { return sweep.objects.size(); }
};

/// Finds the objects to remove: those not reachable from a ref, from `roots`, from an operation
/// within the retention (the old and new values of its refs, the commits in its `map`), or from an
/// object that was put lately (Store::loose) and breaks no rule of fsck. Also removes attests with
/// an invalid signature. A commit needs the objects it names: parents, contents, targets, `about`,
/// its prompt's bundle. An attest stays as long as its target; tombstones always stay. The
/// operations past the retention become one checkpoint, since they may name removed objects; a
/// single one stays unchanged.
///
/// Changes nothing. Reads every object, and takes about a hundred bytes of memory for each.
/// Code::corrupt if a needed commit is missing, or an object or operation is damaged.
/// Code::unavailable if others kept removing objects meanwhile.
Result<Garbage> find_garbage(const Store& store, const GcOptions& options);

/// Finds the garbage, passes it to `before`, and removes it for good in one change. Writers wait
/// while that is done and while what was written during the search is looked at, not during the
/// search. If `before` returns an error, nothing changes. Errors of find_garbage() and of the
/// store.
Result<Garbage> collect_garbage(Store& store, const GcOptions& options,
                                const std::function<Result<void>(const Garbage&)>& before = {});

/// find_garbage() in two steps, so that writers wait only for the second.
class GarbageSearch {
 public:
  /// Reads every object and the log, while others may write.
  static Result<GarbageSearch> begin(const Store& store, const GcOptions& options);
  ~GarbageSearch();
  GarbageSearch(GarbageSearch&&) noexcept;

  /// Adds what was written since, which takes a time proportional to that, and returns what is
  /// still not needed. What was needed at any time since begin() counts as needed. To sweep, call
  /// it and Store::sweep in one Store::exclusive(), as collect_garbage() does: a later commit may
  /// need the objects found. Nullopt if objects were removed or the log was folded since: begin
  /// again. Call it once.
  Result<std::optional<Garbage>> finish();

 private:
  class Impl;
  explicit GarbageSearch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::store
