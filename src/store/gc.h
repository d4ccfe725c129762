#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// The parameters of find_garbage().
struct GcOptions {
  std::vector<Oid> roots;  ///< kept with all that they need, in addition to the refs: HEAD
  Timestamp keep_since;    ///< operations at or after this time keep the objects that they name
  std::string actor;       ///< of the checkpoint, if the log is folded
  /// Called from time to time with the number of objects read so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Polled; gc returns Code::interrupted soon after it returns true.
  std::function<bool()> is_cancelled = {};
};

/// The objects that nothing needs.
struct Garbage {
  std::vector<Oid> commits;                ///< children before their parents
  std::array<std::uint64_t, 7> objects{};  ///< number to remove by Kind, including commits
  std::uint64_t bytes = 0;                 ///< of all bodies to remove
  std::uint64_t kept = 0;                  ///< number of objects that stay
  std::uint64_t operations = 0;            ///< operations to replace with one checkpoint; 0: none
  Sweep sweep;                             ///< for Store::sweep

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
/// Changes nothing. Call it in Store::exclusive(), or the next commit may need the objects found.
/// Reads every object, and takes about a hundred bytes of memory for each. Code::corrupt if a
/// needed commit is missing, or an object or operation is damaged. Code::unavailable if other
/// writers kept it from reading one consistent state.
Result<Garbage> find_garbage(const Store& store, const GcOptions& options);

}  // namespace spoor::store
